import { expect, test } from "vitest";
import { createClient } from "./client.ts";
import { discover } from "./discover.ts";

/** A server with one group, which prefers v1 and serves these plurals. */
const serving = (versions: Readonly<Record<string, readonly string[]>>) => {
  const named = Object.keys(versions).map((version) => ({ groupVersion: `example.com/${version}` }));
  const answers: Readonly<Record<string, object>> = {
    "/apis": { groups: [{ versions: named, preferredVersion: { groupVersion: "example.com/v1" } }] },
    "/api/v1": { groupVersion: "v1", resources: [] },
    ...Object.fromEntries(
      Object.entries(versions).map(([version, plurals]) => [
        `/apis/example.com/${version}`,
        {
          groupVersion: `example.com/${version}`,
          resources: plurals.map((name) => ({ name, kind: name, namespaced: true, verbs: ["list"] })),
        },
      ]),
    ),
  };
  return createClient(async ({ path }) => {
    const text = JSON.stringify(answers[path]);
    return {
      status: 200,
      headers: {},
      body: (async function* () {
        yield text;
      })(),
    };
  });
};

test("a kind that its group's preferred version lacks is taken from the next version that has it", async () => {
  const client = serving({ v1: ["a"], v1beta1: ["a", "b"], v1alpha1: ["b"] });
  const kinds = await discover(client, () => {});
  const preferred = kinds.filter((kind) => kind.preferred).map(({ apiVersion, plural }) => `${apiVersion} ${plural}`);
  expect(preferred).toEqual(["example.com/v1 a", "example.com/v1beta1 b"]);
});
