import { expect, test } from "vitest";
import { release } from "../../functions/pvc-protection/release/rule.ts";
import { type FilteringTrigger, sweepKeptOut } from "./sweep-filters.ts";

const name = "pvc-protection-release";
const functions = new Map([[name, {}]]);
const elsewhere: FilteringTrigger = {
  spec: { subscriber: { ref: { name } }, filters: [{ not: { exact: { namespace: "staging" } } }] },
};
const to = (host: string): FilteringTrigger => ({
  spec: {
    subscriber: { uri: `http://${host}.holdfast.svc.cluster.local` },
    filters: [{ exact: { namespace: "staging" } }],
  },
});

test("a Trigger that sends the rest to another version of the function, by its tag, keeps nothing away", () => {
  expect(sweepKeptOut([elsewhere, to(`canary-${name}`)], functions, [release])).toEqual([]);
});

test.each(["canary-pvc-protection-protect", "not a host"])("a Trigger to %s does not count", (host) => {
  expect(sweepKeptOut([elsewhere, to(host)], functions, [release])).toHaveLength(1);
});
