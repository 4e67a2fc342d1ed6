import { expect, test } from "vitest";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { lifeConditions } from "../../functions/satellite/lib/satellite.ts";
import { aSatellite, hintOf } from "../../functions/satellite/lib/testing/seen.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import { rules } from "./rules.ts";

const living = (conditions: readonly { type: string; status: string; observedGeneration: number }[]) => ({
  ...aSatellite({ deleting: false, record: false }),
  status: { conditions: conditions.map((one) => ({ ...one, reason: "X", message: "", lastTransitionTime: "" })) },
});
const well = Object.values(lifeConditions).map((type) => ({ type, status: "True", observedGeneration: 2 }));
const without = (wrong: string, change: object) =>
  living(well.map((one) => (one.type === wrong ? { ...one, ...change } : one)));

/** The functions that an event of a satellite triggers, and those of them that make any request because of it. */
function counts(object: Parameters<typeof hintOf>[2]) {
  const hint = hintOf(LinstorSatellite, "update", object);
  const triggered = rules.filter(({ triggers }) =>
    triggers.some(({ kind, changes }) => kind.kind === LinstorSatellite.kind && changes.includes("update")),
  );
  const looking = triggered.filter((rule) => rule.subjects(hint, rule.settings.parse({})).length > 0);
  return { triggered: triggered.length, looking: looking.map(({ name }) => name.slice("satellite/".length)) };
}

test("a kubelet's status write triggers one function, which reads the Node and its satellite; once it was four", () => {
  const triggered = rules.filter(({ triggers }) =>
    triggers.some(({ kind, changes }) => kind.kind === Node.kind && changes.includes("update")),
  );
  expect(triggered.map(({ name }) => name)).toEqual(["satellite/create"]);
});

test("a write to a satellite that is as it should be: 4 of 18 functions look", () => {
  expect(counts(living(well))).toEqual({
    triggered: 18,
    looking: ["configure", "delete", "set-hooks", "await-satellites"],
  });
});

test("where properties are the Node's, which may be behind the write, sync-pools looks as well", () => {
  const properties = [{ name: "Aux/zone", valueFrom: { nodeFieldRef: "metadata.labels['zone']" } }];
  const satellite = living(well);
  expect(counts({ ...satellite, spec: { ...satellite.spec, properties } as never }).looking).toContain("sync-pools");
});

test.each([
  ["is not what its spec says any more", without("Applied", { observedGeneration: 1 }), ["apply-daemonset"]],
  ["is not connected with LINSTOR", without("Available", { status: "False" }), ["register", "sync-pools"]],
  ["is not configured", without("Configured", { status: "False" }), ["sync-pools"]],
  ["has been written nothing about", living([]), ["apply-daemonset", "register", "sync-pools"]],
])("one that %s is looked at by those whose business that is", (_, object, more) => {
  expect(counts(object).looking).toEqual(expect.arrayContaining(more));
  expect(counts(object).looking).toHaveLength(4 + more.length);
});

test("an event that does not show the satellite, as the sweep's, makes all of them look", () =>
  expect(counts("node-1").looking).toHaveLength(18));
