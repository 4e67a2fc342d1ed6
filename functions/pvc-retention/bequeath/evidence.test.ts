import { expect, test } from "vitest";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ControllerRevision, type Kind, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { reference, setOf, uidOfSet } from "../../../shared/retention/testing/objects.ts";
import { type Evidence, readEvidence } from "./evidence.ts";

const deletionTimestamp = "2026-03-01T11:59:00Z";
const set = {
  ...setOf({ deletionTimestamp }, { selector: { matchLabels: { app: "web", tier: "a" } } }),
  status: { currentRevision: "web-1a", updateRevision: "web-2b" },
};
const toSet = [reference("StatefulSet", "web", uidOfSet)];
const toOther = [reference("StatefulSet", "shop-web", "u9")];

const dependent = (
  kind: Kind,
  name: string,
  ownerReferences?: object[],
  creationTimestamp = "2026-03-01T10:00:00Z",
) => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: {
    name,
    uid: name,
    resourceVersion: "1",
    creationTimestamp,
    ...(ownerReferences ? { ownerReferences } : {}),
  },
});
const revision = (name: string, owners?: object[], created?: string) =>
  dependent(ControllerRevision, name, owners, created);
const pod = (name: string, owners?: object[], created?: string) => dependent(Pod, name, owners, created);

test.each<[string, object[], Evidence]>([
  ["nothing is left", [], "none"],
  [
    "a background deletion leaves revision and pods as they were",
    [revision("web-2b", toSet), pod("web-0", toSet)],
    "cascade",
  ],
  ["a set of no replicas still has its revision", [revision("web-2b", toSet)], "cascade"],
  ["a pod alone", [pod("web-0", toSet)], "cascade"],
  ["a revision under another name", [revision("renamed", toSet)], "cascade"],
  ["an orphan deletion took the references away", [revision("web-2b"), pod("web-0", [])], "orphaned"],
  ["an orphan deletion that has not come to the end", [revision("web-2b"), pod("web-0", toSet)], "orphaned"],
  [
    "a pod that the garbage collector had not heard of",
    [revision("web-1a"), revision("web-2b"), pod("web-1", toSet)],
    "orphaned",
  ],
  [
    "orphaned, and somebody deleted the revisions, which were made anew",
    [revision("web-2b", toSet, "2026-03-01T11:59:30Z"), pod("web-0")],
    "orphaned",
  ],
  ["a foreground deletion: the revision was made anew", [revision("web-2b", toSet, "2026-03-01T11:59:30Z")], "none"],
  ["made anew in the same second", [revision("web-2b", toSet, deletionTimestamp)], "none"],
  ["a revision that was nobody's before", [revision("web-0z")], "none"],
  ["a pod of another naming scheme", [pod("web-shell")], "none"],
  ["a pod that another set has", [pod("web-0", toOther)], "none"],
])("%s: %s", async (_, dependents, expected) => {
  const asked: unknown[] = [];
  const client = {
    async *list(kind: Kind, options: unknown) {
      asked.push(options);
      yield* (dependents as KubernetesObject[]).filter((one) => one.kind === kind.kind);
    },
  } as unknown as Client;
  expect(await readEvidence(client, set)).toBe(expected);
  const selected = { namespace: "shop", labelSelector: "app=web,tier=a", metadataOnly: true };
  expect(asked).toEqual([selected, selected]);
});
