import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ApiError } from "./kubernetes/api-error.ts";
import { Node } from "./kubernetes/kind.ts";
import { lookAtEach, PartlyLooked, partly, wholeOr } from "./look-at-each.ts";

const objectOf = (name: string) => ({ kind: Node, name });
const failure = (status: number, reason: string) => new ApiError("GET", { status, reason, message: "a fault" });
/** Looks at nodes of which these fail. */
function lookAt(names: readonly string[], failing: Readonly<Record<string, unknown>>) {
  const begun: string[] = [];
  const looked = lookAtEach(names, objectOf, async (name) => {
    begun.push(name);
    await setImmediate();
    if (failing[name]) throw failing[name];
    return name.toUpperCase();
  });
  return { begun, looked };
}
const nodes = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

test("one that fails leaves the others alone, in their order", async () => {
  const error = failure(500, "InternalError");
  expect(await lookAt(["a", "b", "c"], { b: error }).looked).toEqual({
    looked: ["A", "C"],
    failures: [{ object: objectOf("b"), error }],
  });
});

test("the error is thrown where none succeeds, and where another look at all is called for", async () => {
  const error = failure(500, "InternalError");
  await expect(lookAt(["a"], { a: error }).looked).rejects.toBe(error);
  const expired = failure(410, "Expired");
  await expect(lookAt(["a", "b"], { b: expired }).looked).rejects.toBe(expired);
});

test("where many fail, soon no further one is asked for", async () => {
  const all = nodes(200);
  const error = failure(503, "ServiceUnavailable");
  const { begun, looked } = lookAt(all, Object.fromEntries(all.map((name) => [name, error])));
  await expect(looked).rejects.toBe(error);
  expect(begun.length).toBeLessThan(32);
});

test("the facts of the others come with what failed, and are given where all is well", async () => {
  const failures = [{ object: objectOf("b"), error: failure(500, "InternalError") }];
  const look = async () => wholeOr(["A"], failures);
  await expect(look()).rejects.toThrow(/^Node b cannot be looked at: .*a fault/);
  await expect(look()).rejects.toBeInstanceOf(PartlyLooked);
  expect(await partly(look)).toEqual({ facts: ["A"], failures });
  expect(await partly(async () => wholeOr(["A"], []))).toEqual({ facts: ["A"], failures: [] });
});
