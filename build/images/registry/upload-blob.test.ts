import { describe, expect, test } from "vitest";
import { contentOf } from "../oci/content.ts";
import { mediaTypes } from "../oci/descriptor.ts";
import { answerOf, bodyOf, type FakeRegistryOptions, fakeRegistry, surroundedBy } from "../testing/fake-registry.ts";
import { connect } from "./registry.ts";
import type { Message, Transport } from "./transport.ts";
import { uploadBlob } from "./upload-blob.ts";

const large = contentOf(Buffer.alloc(9 * 2 ** 20, "large"), mediaTypes.layer);
const { digest, size } = large.descriptor;

async function upload(options: FakeRegistryOptions, content = large) {
  const registry = fakeRegistry(options);
  const access = surroundedBy(registry);
  const connection = await connect({ host: "registry.test", path: "a/b" }, "pull,push", access);
  const way = await uploadBlob(connection, content, undefined, access.patience);
  const sent = registry.seen.filter((line) => !line.startsWith("HEAD") && !line.endsWith("/v2/"));
  return { way, registry, sent };
}

/** Cuts the connection once `bytes` of the body have come across. */
async function cut(message: Message, next: Transport, bytes: number): Promise<never> {
  const part = (await bodyOf(message)).subarray(0, bytes);
  const { pathname } = new URL(message.url);
  const url = new URL(`${pathname}?state=s`, message.url).href;
  await next({ method: "PATCH", url, body: async () => await contentOf(part, "").open() });
  throw Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
}

test("content is sent in one piece", async () => {
  const { way, sent, registry } = await upload({});
  expect(way).toBe("sent");
  expect(registry.blobs.get(digest)).toHaveLength(size);
  expect(sent).toEqual([
    "POST /v2/a/b/blobs/uploads/",
    `PUT /v2/a/b/blobs/uploads/1?state=s&digest=${encodeURIComponent(digest)}`,
  ]);
});

describe("what was cut", () => {
  test("goes on from where it was cut, where the registry remembers", async () => {
    let cuts = 0;
    const ranges: unknown[] = [];
    const { registry, sent } = await upload({
      intercept: async (message, next) => {
        if (message.method === "PUT" && cuts++ === 0) return cut(message, next, 5_000_000);
        if (message.method === "PATCH") ranges.push(message.headers?.["content-range"]);
        return next(message);
      },
    });
    expect(registry.blobs.has(digest)).toBe(true);
    expect(ranges).toEqual([`5000000-${size - 1}`]);
    expect(sent.filter((line) => line.startsWith("POST"))).toHaveLength(1);
  });

  test("begins again, in pieces, where it has forgotten", async () => {
    let cuts = 0;
    const { registry, sent } = await upload({
      intercept: async (message, next) => {
        if (message.method === "PUT" && cuts++ === 0) throw Object.assign(new Error(""), { code: "ECONNRESET" });
        return message.method === "GET" && message.url.includes("uploads") ? answerOf(404) : next(message);
      },
    });
    expect(registry.blobs.has(digest)).toBe(true);
    expect(sent.map((line) => line.split(" ")[0])).toEqual(["POST", "PUT", "GET", "POST", "PATCH", "PATCH", "PUT"]);
  });

  test("is given up after some tries, and the complaint says of what and where to", async () => {
    const never = upload({
      intercept: async (message, next) => {
        if (message.method === "PUT" || message.method === "PATCH")
          throw Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
        return next(message);
      },
    });
    await expect(never).rejects.toThrow(
      `The upload of ${digest} (${size} bytes) for registry.test/a/b was cut short: other side closed.`,
    );
  });
});

test("more than is taken at once is sent in pieces, from the beginning", async () => {
  const { registry, sent } = await upload({
    intercept: async (message, next) =>
      Number(message.headers?.["content-length"]) > 8 * 2 ** 20 ? answerOf(413) : next(message),
  });
  expect(registry.blobs.get(digest)).toHaveLength(size);
  expect(sent.map((line) => line.split(" ")[0])).toEqual(["POST", "PUT", "POST", "PATCH", "PATCH", "PUT"]);
});

test("a registry that is busy for a while gets it all the same, and one that refuses is asked once", async () => {
  let busy = 2;
  const { registry } = await upload({
    intercept: async (message, next) => (message.method === "PUT" && busy-- > 0 ? answerOf(500) : next(message)),
  });
  expect(registry.blobs.has(digest)).toBe(true);

  let asked = 0;
  const refused = upload({
    intercept: async (message, next) => {
      if (message.method !== "PUT") return next(message);
      asked++;
      return answerOf(403, {}, JSON.stringify({ errors: [{ code: "DENIED", message: "read only" }] }));
    },
  });
  await expect(refused).rejects.toThrow(
    `The registry has not taken ${digest} (${size} bytes) for registry.test/a/b: 403, DENIED: read only.`,
  );
  expect(asked).toBe(1);
});

test("a registry that lets no upload begin is reported", async () => {
  const intercept: FakeRegistryOptions["intercept"] = async (message, next) =>
    message.method === "POST" ? answerOf(404, {}, "404 page not found") : next(message);
  await expect(upload({ intercept })).rejects.toThrow(
    "The registry lets nothing be uploaded to registry.test/a/b: 404, 404 page not found.",
  );
});
