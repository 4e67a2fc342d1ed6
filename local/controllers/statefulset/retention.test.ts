import { describe, expect, test } from "vitest";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { PodObject } from "../objects/pod.ts";
import { hasUnexpectedController, isLeftBehind } from "./retention.ts";
import type { SetObject } from "./set.ts";

type When = "Retain" | "Delete";

const setOf = (whenDeleted?: When, whenScaled?: When): SetObject => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "web", namespace: "shop", uid: "set-uid", resourceVersion: "1" },
  spec: {
    replicas: 1,
    selector: {},
    template: { spec: { containers: [] } },
    updateStrategy: { type: "RollingUpdate" },
    ...(whenDeleted && whenScaled ? { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } } : {}),
  },
});

const podOf = (ordinal: number): PodObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `web-${ordinal}`, namespace: "shop", uid: `pod-${ordinal}-uid`, resourceVersion: "1" },
  spec: { containers: [] },
});

const claimWith = (...ownerReferences: OwnerReference[]): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data-web-0", namespace: "shop", uid: "claim-uid", resourceVersion: "1", ownerReferences },
});

const reference = (kind: string, name: string, uid: string, controller?: boolean): OwnerReference => ({
  apiVersion: kind === "StatefulSet" ? "apps/v1" : "v1",
  kind,
  name,
  uid,
  ...(controller === undefined ? {} : { controller, blockOwnerDeletion: true }),
});
const toSet = (controller: boolean | undefined = true) => reference("StatefulSet", "web", "set-uid", controller);
const toPod = (ordinal: number, controller: boolean | undefined = true) =>
  reference("Pod", `web-${ordinal}`, `pod-${ordinal}-uid`, controller);
const staleSet = reference("StatefulSet", "web", "old-uid", true);
const stalePod = (ordinal: number) => reference("Pod", `web-${ordinal}`, "old-uid", true);
const stranger = reference("Thing", "stranger", "stranger-uid");
const master = reference("Thing", "master", "master-uid", true);

describe("an unexpected controller", () => {
  const set = setOf("Delete", "Delete");
  const pod = podOf(0);
  test.each<[string, OwnerReference[], boolean]>([
    ["no object", [], false],
    ["an object that does not control", [stranger], false],
    ["an object that says that it does not control", [reference("Thing", "x", "x", false)], false],
    ["an object that controls", [master], true],
    ["the set", [toSet()], false],
    ["the pod", [toPod(0)], false],
    ["an earlier set", [staleSet], true],
    ["an earlier set that does not control", [reference("StatefulSet", "web", "old-uid")], true],
    ["an earlier pod", [stalePod(0)], true],
    ["another set", [reference("StatefulSet", "other", "other-uid", true)], true],
    ["another pod", [toPod(3)], true],
    ["the set, and an object that controls", [toSet(), master], true],
    ["the set, and an object that does not", [toSet(), stranger], false],
  ])("%s", (_, references, unexpected) => {
    expect(hasUnexpectedController(claimWith(...references), set, pod)).toBe(unexpected);
  });
});

describe("a claim left behind by an earlier pod", () => {
  const unborn = { ...podOf(0), metadata: { ...podOf(0).metadata, uid: undefined as unknown as string } };
  test.each<[string, When, OwnerReference[], boolean]>([
    ["with the pod's reference of old", "Delete", [stalePod(0)], true],
    ["with that of the pod before the one to be made", "Delete", [toPod(0)], true],
    ["without a reference", "Delete", [], false],
    ["with another pod's", "Delete", [toPod(1)], false],
    ["with the set's", "Delete", [toSet()], false],
    ["where claims are there to be used again", "Retain", [stalePod(0)], false],
  ])("%s", (_, whenScaled, references, left) => {
    expect(isLeftBehind(claimWith(...references), setOf("Retain", whenScaled), unborn)).toBe(left);
  });
});
