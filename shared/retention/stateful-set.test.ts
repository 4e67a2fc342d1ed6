import { expect, test } from "vitest";
import { isInRange, podName, retentionInForce, type StatefulSet } from "./stateful-set.ts";

const set = (spec: StatefulSet["spec"]): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "web", uid: "u", resourceVersion: "1" },
  spec,
});
const ordinals = [0, 1, 2, 3, 4, 5, 6];

test.each<[StatefulSet["spec"], number[]]>([
  [{}, [0]],
  [{ replicas: 0 }, []],
  [{ replicas: 3 }, [0, 1, 2]],
  [{ replicas: 2, ordinals: { start: 3 } }, [3, 4]],
  [{ replicas: 2, ordinals: {} }, [0, 1]],
])("%j wants pods %j", (spec, wanted) => {
  expect(ordinals.filter((ordinal) => isInRange(set(spec), ordinal))).toEqual(wanted);
});

test("a pod is named after its set and ordinal", () => {
  expect(podName(set({}), 3)).toBe("web-3");
});

test("what is not said is retained, and a server without the field says nothing", () => {
  expect(retentionInForce(set({}))).toBeUndefined();
  expect(retentionInForce(set({ persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } }))).toEqual({
    whenDeleted: "Retain",
    whenScaled: "Delete",
  });
});
