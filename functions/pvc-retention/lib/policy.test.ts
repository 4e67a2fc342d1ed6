import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { policyKey, readPolicy } from "./policy.ts";

const object = (written?: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: {
    name: "web",
    uid: "u",
    resourceVersion: "1",
    ...(written === undefined ? {} : { annotations: { [policyKey]: written } }),
  },
});
const policy = (set?: string, namespace?: string) => readPolicy(object(set), object(namespace));

test.each([
  ["Retain", "Retain", "Retain"],
  ["DeleteOnStatefulSetDeletionOnly", "Delete", "Retain"],
  ["DeleteOnScaledownOnly", "Retain", "Delete"],
  ["DeleteOnScaledownAndStatefulSetDeletion", "Delete", "Delete"],
])("%s", (name, whenDeleted, whenScaled) => {
  expect(policy(name)).toEqual({ name, written: name, from: "set", whenDeleted, whenScaled });
});

describe("the policy comes from", () => {
  test("neither set nor namespace: the set is left alone", () => {
    expect(policy()).toBeUndefined();
    expect(readPolicy(object(), undefined)).toBeUndefined();
  });
  test("the namespace, unless the set has its own", () => {
    expect(policy(undefined, "DeleteOnScaledownOnly")).toMatchObject({
      name: "DeleteOnScaledownOnly",
      from: "namespace",
    });
    expect(policy("Retain", "DeleteOnScaledownOnly")).toMatchObject({ name: "Retain", from: "set" });
  });
});

test.each(["", "delete", "retain", "constructor", " DeleteOnScaledownOnly", "x".repeat(900)])(
  "%j keeps all claims, and the message fits into an Event",
  (written) => {
    const read = policy(written);
    expect(read).toMatchObject({ name: "Retain", whenDeleted: "Retain", whenScaled: "Retain" });
    expect(read?.fault).toContain(JSON.stringify(written.slice(0, 60)));
    expect(read?.fault?.length).toBeLessThan(400);
  },
);
