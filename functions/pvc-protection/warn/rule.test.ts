import { describe, expect, test } from "vitest";
import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { claim as claimWith, hint } from "../testing/objects.ts";
import { warn } from "./rule.ts";

const claim = (name: string, finalizers: string[] = []) =>
  claimWith({ name, uid: name, deletionTimestamp: "2026-03-01T12:00:00Z", finalizers });
const pod = (nodeName: string | undefined, claims = ["data"], phase = "Pending"): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", namespace: "shop", uid: "p1", resourceVersion: "1" },
  spec: { nodeName, volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
  status: { phase },
});
const protectedBy = ["kubernetes.io/pvc-protection"];
const note = (pod: KubernetesObject, ...deleting: KubernetesObject[]) => {
  const [decision] = warn.decide({ pods: [pod], deleting }, 0, {});
  expect(decision).toMatchObject({ do: "record", event: { type: "Warning", reason: "ClaimBeingDeleted" } });
  return decision?.message;
};

describe("the warning", () => {
  test("on a pod without a node has the text of the proposal for the scheduler, with what to do", () => {
    expect(note(pod(undefined), claim("data", protectedBy))).toMatch(
      /^PVC \(data\) is in scheduled for deletion state: .*Delete the pod, or wait/,
    );
  });
  test("on a bound pod whose claim has lost the in-tree finalizer has the text of the proposal for the kubelet", () => {
    expect(note(pod("n0"), claim("data"))).toMatch(
      /^can't start pod \(web-1\) because it's using PVC \(data\) that is being deleted\. Delete the pod/,
    );
  });
  test("on a bound pod whose claim still has the in-tree finalizer says that it starts, and what goes with it", () => {
    expect(note(pod("n0"), claim("data", protectedBy))).toMatch(
      /starts with PVC \(data\), which is being deleted and goes with the last pod/,
    );
  });
  test("names every claim being deleted that the pod wants, and no other", () => {
    expect(note(pod(undefined, ["data", "logs"]), claim("data"), claim("logs"), claim("foreign"))).toContain(
      "PVC (data, logs)",
    );
  });
});

describe("subjects", () => {
  const alive = claim("data");
  delete alive.metadata.deletionTimestamp;
  test.each<[string, Hint, number]>([
    ["a claim being deleted", hint("update", claim("data")), 1],
    ["a claim of which only the name is known", hint("update", undefined, "PersistentVolumeClaim"), 1],
    ["a new pod with a claim", hint("add", pod(undefined)), 1],
    ["a claim that is not being deleted", hint("update", alive), 0],
    ["a claim that is gone", hint("delete", claim("data")), 0],
    ["a running pod's heartbeat", hint("update", pod("n0", ["data"], "Running")), 0],
    ["a new pod without claims", hint("add", pod(undefined, [])), 0],
  ])("%s", (_, hint, count) => expect(warn.subjects(hint, {})).toHaveLength(count));
});
