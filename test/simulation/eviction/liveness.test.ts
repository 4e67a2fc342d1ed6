import { expect, test } from "vitest";
import type { LivenessTruth } from "../liveness/liveness-check.ts";
import { whatStaysServes } from "./liveness.ts";
import { recordKey } from "./resources.ts";

test.each<[string, Record<string, string>, RegExp | undefined]>([
  ["is not at rest before its eviction has ended", { [recordKey]: "{}" }, /is to stay, and has the record/],
  ["is at rest when its eviction has ended", {}, undefined],
])("a compute node that is to stay, and that a person has disabled, %s", (_, annotations, isFound) => {
  const compute = { metadata: { name: "node-1", annotations }, spec: { state: "Enabled" } };
  const hosts = new Map([["node-1", { name: "node-1", isEnabled: false, reason: "a person's" }]]);
  const truth = {
    history: { live: () => [compute] },
    outsides: new Map([["eviction", { standIn: { cloud: { hosts } } }]]),
  };
  const found = whatStaysServes.check(truth as unknown as LivenessTruth);
  if (isFound) expect(found).toMatch(isFound);
  else expect(found).toBeUndefined();
});
