import { expect, test } from "vitest";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import { conditions } from "../../functions/satellite/lib/satellite.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { progressKey } from "../../shared/progress.ts";
import { leavingOf, takesSlot } from "./leaving.ts";
import { nineSteps } from "./steps.ts";

const since = "2026-01-02T00:00:00Z";
const evacuated = {
  type: conditions.evacuated,
  status: "False",
  reason: "Error",
  message: "Error: 2 resources are left.",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

/** A satellite that is being deleted, with the last word of a rule; a condition of an evacuation may be there, too. */
function satellite(deletionPolicy: string | undefined, rule: string, step = "waiting", condition: object = evacuated) {
  const word = { v: 1, uid: "u", step, since, because: `The word of ${rule}.` };
  const annotations = { [progressKey(`satellite/${rule}`)]: JSON.stringify(word) };
  return {
    metadata: { name: "node-1", uid: "u", annotations, deletionTimestamp: since },
    spec: { deletionPolicy },
    status: { conditions: [condition] },
  } as unknown as KubernetesObject;
}

test("an evacuation has nine steps, and says what its condition says", () => {
  expect(leavingOf(satellite("Evacuate", "await-empty"))).toEqual({
    label: "Evacuation of node-1",
    steps: nineSteps,
    now: 5,
    message: evacuated.message,
    since: evacuated.lastTransitionTime,
    trouble: "error",
  });
  const away = { ...evacuated, reason: "Away" };
  expect(leavingOf(satellite("Evacuate", "await-empty", "waiting", away)).trouble).toBe("away");
});

test.each([
  ["Retain", "retain", "Its policy is Retain: its node and its data stay in LINSTOR."],
  [undefined, "retain", "Its policy is Retain: its node and its data stay in LINSTOR."],
  ["Delete", "remove-lost", "Its policy is Delete: its data is given up as soon as LINSTOR has lost the connection."],
])("with the policy %s there are no steps, and the rule of the policy says how far it is", (policy, rule, what) => {
  expect(leavingOf(satellite(policy, rule))).toEqual({
    label: "Removal of node-1",
    what,
    steps: [],
    now: 0,
    message: `The word of ${rule}.`,
    since,
    trouble: undefined,
  });
  expect(leavingOf(satellite(policy, rule, "stuck")).trouble).toBe("error");
  // What an evacuation has said before the policy was changed.
  expect(leavingOf(satellite(policy, "await-empty")).message).toBeUndefined();
});

test("a Machine that is shut down because its data is elsewhere is the word of the policy Retain", () => {
  const givenUp = { ...evacuated, reason: "GivenUp", message: "Its Machine is shut down." };
  expect(leavingOf(satellite("Retain", "await-empty", "waiting", givenUp))).toMatchObject({
    message: givenUp.message,
    since: givenUp.lastTransitionTime,
    trouble: undefined,
  });
});

test("a slot is taken by an evacuation, also by one that another policy is to end", () => {
  expect(takesSlot(satellite("Evacuate", "mark"))).toBe(true);
  const retained = satellite("Retain", "retain");
  expect(takesSlot(retained)).toBe(false);
  const record = JSON.stringify({ v: 1, uid: "u", begun: since });
  const annotations = { ...retained.metadata.annotations, [recordKey]: record };
  expect(takesSlot({ ...retained, metadata: { ...retained.metadata, annotations } })).toBe(true);
});
