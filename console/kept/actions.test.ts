import { expect, test } from "vitest";
import { successorKey } from "../../functions/undelete/lib/successor.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { progressKey } from "../../shared/progress.ts";
import type { Volume } from "../../shared/storage/volume.ts";
import type { Objects } from "../api/use-list.ts";
import { nameSuccessor } from "./actions.ts";

const shop = { kind: "Namespace", metadata: { name: "shop", uid: "u-new" } } as KubernetesObject;
const volume = (because: string, step = "asks") => {
  const claim = { namespace: "shop", name: "data", uid: "u-claim" };
  const note = { step, policy: "Delete", for: "7d", claim, namespaceUid: "u-old", right: 0 };
  const text = JSON.stringify({ v: 1, uid: "u-1", since: "2026-01-01T00:00:00Z", because, ...note });
  const annotations = { [progressKey("undelete/note")]: text };
  return { metadata: { name: "pv-1", uid: "u-1", annotations }, spec: {} } as unknown as Volume;
};
const ready = (...objects: readonly KubernetesObject[]): Objects<KubernetesObject> => ({ is: "ready", objects });
const advised = `To allow it: \`kubectl annotate namespace shop ${successorKey}=UID\``;

test("a namespace is named the successor of the former one of its name", () => {
  expect(nameSuccessor(volume(advised), ready(shop))).toMatchObject({
    command: "kubectl annotate namespace shop holdfast.dev/successor-of=u-old --overwrite",
    write: { name: "shop", uid: "u-new", patch: { metadata: { annotations: { [successorKey]: "u-old" } } } },
  });
});

test.each([
  ["the rule does not name the annotation", volume("Not offered."), [shop]],
  ["the volume waits for no person", volume(advised, "kept"), [shop]],
  ["there is no namespace of that name", volume(advised), []],
])("no successor is named where %s", (_, volume, namespaces) => {
  expect(nameSuccessor(volume, ready(...namespaces))).toBeUndefined();
});

test.each([
  [{ is: "refused", message: "You may not list namespaces." }, /You may not list namespaces\./],
  [{ is: "loading" }, /Being read\./],
] as const)("while namespaces are %j, a successor cannot be named, and the action says why", (namespaces, why) => {
  expect(nameSuccessor(volume(advised), namespaces)?.refused).toMatch(why);
  expect(nameSuccessor(volume(advised), ready(shop))?.refused).toBeUndefined();
});
