import { describe, expect, test } from "vitest";
import { configMaps, testServer } from "../fixtures/test-server.ts";

async function filled(count: number) {
  const { ask, ...rest } = testServer();
  for (let index = 1; index <= count; index++) {
    await ask("POST", configMaps, { metadata: { name: `c${index}`, labels: { odd: String(index % 2) } } });
  }
  const page = async (query: string) => {
    const { status, json } = await ask("GET", `${configMaps}?${query}`);
    // biome-ignore lint/suspicious/noExplicitAny: Items are what the test made.
    return { status, json, names: json.items?.map((item: any) => item.metadata.name), next: json.metadata.continue };
  };
  return { ask, page, ...rest };
}

test("items of a built-in kind carry neither kind nor version; the list carries both", async () => {
  const { page } = await filled(1);
  const { json } = await page("");
  expect(json).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1", items: [{ metadata: { name: "c1" } }] });
  expect(Object.keys(json.items[0])).toEqual(["metadata"]);
});

describe("pages", () => {
  test("all show the moment of the first, and count what is left", async () => {
    const { ask, page } = await filled(5);
    const first = await page("limit=2");
    expect([first.names, first.json.metadata.remainingItemCount]).toEqual([["c1", "c2"], 3]);
    await ask("DELETE", `${configMaps}/c3`);
    await ask("POST", configMaps, { metadata: { name: "c35" } });
    const second = await page(`limit=2&continue=${first.next}`);
    expect(second.names).toEqual(["c3", "c4"]);
    expect(second.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
    const third = await page(`limit=2&continue=${second.next}`);
    expect([third.names, third.next]).toEqual([["c5"], undefined]);
  });

  test("of selected objects are full and do not count the rest", async () => {
    const { page } = await filled(5);
    const first = await page("limit=2&labelSelector=odd=1");
    expect([first.names, first.json.metadata.remainingItemCount]).toEqual([["c1", "c3"], undefined]);
    expect((await page(`limit=2&labelSelector=odd=1&continue=${first.next}`)).names).toEqual(["c5"]);
  });

  test("expire with the compaction, with a token to go on inconsistently", async () => {
    const { ask, page, server } = await filled(4);
    const first = await page("limit=2");
    await ask("DELETE", `${configMaps}/c3`);
    server.compact();
    const second = await page(`limit=2&continue=${first.next}`);
    expect(second).toMatchObject({ status: 410, json: { reason: "Expired", code: 410 } });
    expect((await page(`limit=2&continue=${second.next}`)).names).toEqual(["c4"]);
  });

  test("do not mix with a version", async () => {
    const { page } = await filled(2);
    const { next } = await page("limit=1");
    expect((await page(`limit=1&resourceVersion=3&continue=${next}`)).json.message).toBe(
      "specifying resource version is not allowed when using continue",
    );
    expect((await page("limit=1&continue=nonsense")).status).toBe(400);
  });
});

describe("versions", () => {
  test("any version will do: no pages, as from the watch cache", async () => {
    const { page } = await filled(3);
    expect((await page("resourceVersion=0&limit=1")).names).toEqual(["c1", "c2", "c3"]);
  });

  test("exactly one version", async () => {
    const { ask, page } = await filled(2);
    const { json } = await page("");
    await ask("DELETE", `${configMaps}/c1`);
    const at = json.metadata.resourceVersion;
    expect((await page(`resourceVersion=${at}&resourceVersionMatch=Exact`)).names).toEqual(["c1", "c2"]);
    expect((await page(`resourceVersion=${at}`)).names).toEqual(["c2"]);
    expect((await page(`resourceVersion=${at}&limit=5`)).names).toEqual(["c1", "c2"]);
  });

  test("one that is yet to come is a timeout to be tried again", async () => {
    const { ask } = await filled(1);
    const { status, headers, json } = await ask("GET", `${configMaps}?resourceVersion=999`);
    expect([status, headers["retry-after"], json.details.causes[0].reason]).toEqual([
      504,
      "1",
      "ResourceVersionTooLarge",
    ]);
  });

  test.each([
    ["resourceVersion=abc", 400],
    ["resourceVersionMatch=Exact", 422],
    ["resourceVersion=1&resourceVersionMatch=Foo", 422],
    ["resourceVersion=0&resourceVersionMatch=Exact", 422],
    ["sendInitialEvents=true", 422],
    ["limit=x", 400],
    ["limit=-1", 200],
  ])("%s is %i", async (query, status) => {
    expect((await (await filled(1)).page(query)).status).toBe(status);
  });
});

test("metadata alone, of a list and of one object, and nothing else by mistake", async () => {
  const { ask } = await filled(1);
  const accept = (as: string) => ({ accept: `application/json;as=${as};g=meta.k8s.io;v=v1` });
  const list = await ask("GET", configMaps, undefined, accept("PartialObjectMetadataList"));
  expect(list.json).toMatchObject({
    kind: "PartialObjectMetadataList",
    items: [{ kind: "PartialObjectMetadata", metadata: { name: "c1" } }],
  });
  const one = await ask("GET", `${configMaps}/c1`, undefined, accept("PartialObjectMetadata"));
  expect(Object.keys(one.json)).toEqual(["kind", "apiVersion", "metadata"]);
  expect((await ask("GET", configMaps, undefined, accept("PartialObjectMetadata"))).status).toBe(406);
  expect((await ask("GET", `${configMaps}/c1`, undefined, accept("PartialObjectMetadataList"))).status).toBe(406);
});
