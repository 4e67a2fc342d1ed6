import { expect, test } from "vitest";
import { atOneRoot } from "../../../../shared/system/testing/at-one-root.ts";
import type { SystemRequest, SystemResponse } from "../../../../shared/system/transport.ts";
import { isLinstorError } from "./answer.ts";
import type { Linstor } from "./client.ts";
import { linstor } from "./system.ts";

const still = { now: () => 0, after: () => () => {}, sleep: () => new Promise<void>(() => {}) };

/** A client of a server that answers like this. */
function against(
  answer: Partial<SystemResponse> | (() => Promise<SystemResponse>),
  seen: SystemRequest[] = [],
): Linstor {
  const controllers = linstor.connect({
    ...atOneRoot(async (request) => {
      seen.push(request);
      return typeof answer === "function" ? answer() : { status: 200, headers: {}, body: "[]", ...answer };
    }),
    clock: still,
    settings: linstor.settings.parse({ linstorAllowHttp: "in-cluster" }),
    credential: async () => undefined,
  });
  return controllers.at(undefined);
}
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

test.each<[string, Partial<SystemResponse>, string, RegExp]>([
  ["a proxy's page", { body: "<html>504 Gateway Time-out</html>" }, "unreachable", /no JSON .* Check what answers/],
  ["half an answer", { body: '[{"name":"node-1","type":"SATEL' }, "unreachable", /is not LINSTOR's/],
  ["nothing", { body: "" }, "unreachable", /is not LINSTOR's/],
  ["an object instead of a list", { body: "{}" }, "unreachable", /is not LINSTOR's/],
  ["null", { body: "null" }, "unreachable", /is not LINSTOR's/],
  ["a node without a name", { body: '[{"type":"SATELLITE"}]' }, "unreachable", /0\.name/],
  ["a page with 500", { status: 500, body: "<h1>oops</h1>" }, "unreachable", /500 with what is no JSON/],
  ["other JSON with 500", { status: 500, body: '{"error":"no"}' }, "unreachable", /without LINSTOR's entries/],
  [
    "a redirect",
    { status: 302, headers: { location: "https://l:3371/" } },
    "refused",
    /to https:\/\/l:3371\/.*LINSTOR_URL/,
  ],
  ["a page with 401", { status: 401, body: "Unauthorized" }, "unauthorized", /client certificate/],
  ["overload", { status: 503, headers: { "retry-after": "7" } }, "overloaded", /try later/],
])("%s is a failure that says what to look at", async (_what, answer, failure, message) => {
  const error = await failureOf(against(answer).nodes.list());
  expect(error).toMatchObject({ name: "SystemError", system: "LINSTOR", failure });
  expect(error.message).toMatch(message);
  if (failure === "overloaded") expect(error.retryAfter).toBe(7000);
});

test.each(["evacuate", "delete", "lose", "restore"] as const)(
  "%s follows no redirect, and is sent once",
  async (verb) => {
    const seen: SystemRequest[] = [];
    const call = against({ status: 302, headers: { location: "https://elsewhere/" }, body: "" }, seen).nodes[verb](
      "a/b",
    );
    expect(await failureOf(call)).toMatchObject({ failure: "refused" });
    expect(seen.map(({ path }) => path.startsWith("/v1/nodes/a%2Fb"))).toEqual([true]);
  },
);

test("an error as a single object is read like an array of one", async () => {
  const body = '{"ret_code":-4611686018427387604,"message":"Node not found"}';
  const error = await failureOf(against({ status: 500, body }).nodes.evacuate("x"));
  expect(isLinstorError(error, 300)).toBe(true);
});

test("an error in an answer with status 200 is an error", async () => {
  const body = '[{"ret_code":1},{"ret_code":-4611686018427386890}]';
  expect(await failureOf(against({ body }).nodes.delete("x"))).toMatchObject({ failure: "unreachable" });
});

test("a 404 for another reason than an unknown node does not mean that a node is gone", async () => {
  const body = '[{"ret_code":-4611686018427386906,"message":"Path not found on server."}]';
  const { nodes, resources, pools } = against({ status: 404, body });
  for (const read of [nodes.get("a"), resources.onNode("a"), pools.onNode("a")])
    expect(await failureOf(read)).toMatchObject({ failure: "refused" });
});

test("an unknown node is recognised by code 300 alone", async () => {
  const body = '[{"ret_code":-4611686018427387604}]';
  const { nodes, resources, pools } = against({ status: 404, body });
  expect([await nodes.get("a"), await resources.onNode("a"), await pools.onNode("a")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("the two lists of targets exclude each other", async () => {
  const seen: SystemRequest[] = [];
  const { nodes } = against({}, seen);
  await nodes.evacuate("a");
  await nodes.evacuate("a", { target: ["b"] });
  await nodes.evacuate("a", { avoid: ["c"] });
  expect(seen.map(({ body }) => body)).toEqual(["{}", '{"target":["b"]}', '{"do_not_target":["c"]}']);
});

test("copies of many definitions are asked for in queries that fit a URL, and of none not at all", async () => {
  const seen: SystemRequest[] = [];
  const { resources } = against({}, seen);
  await resources.of([]);
  await resources.of(Array.from({ length: 120 }, (_, index) => `pvc-${index}-0b9cf7a2-6f0e-4cb1-8a43-1fb0f1b0a0aa`));
  expect(seen).toHaveLength(3);
  expect(Math.max(...seen.map(({ path }) => path.length))).toBeLessThan(4096);
});

test("a connection that breaks is unreachable", async () => {
  const broken = against(() => Promise.reject(new Error("read ECONNRESET")));
  expect((await failureOf(broken.version())).message).toMatch(/read ECONNRESET/);
});
