import { expect, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, Namespace, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { inTreeProtection } from "../../shared/storage/protection.ts";
import { heldObjects, holdsOf, letGo } from "../../shared/uninstall/held-objects.ts";
import { describeHeld, describeLetGo } from "../../shared/uninstall/what-is-left.ts";
import { createApiServer } from "../apiserver/server.ts";
import { defaultInstall } from "../start/manifests.ts";
import { readOptions } from "../start/options.ts";
import { virtualClock } from "../time/testing/virtual-clock.ts";
import { installedRules } from "./installed-rules.ts";

const others = "example.org/backup";
const client = createClient(createApiServer({ clock: virtualClock(), random: seededRandom(1) }).handle);
const make = (kind: Kind, name: string, finalizers: string[], namespace?: string) =>
  client.create(kind, {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ...(namespace ? { namespace } : {}), finalizers } as KubernetesObject["metadata"],
    ...(kind === PersistentVolumeClaim
      ? { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }
      : {}),
  } as KubernetesObject);

test("what holds objects follows from the rules that are installed, and only ours is removed", async () => {
  const holds = holdsOf(await installedRules(defaultInstall(readOptions([]))));
  const finalizerOn = ({ kind }: Kind) => holds.find((hold) => hold.kind.kind === kind)?.finalizer ?? "";
  expect(finalizerOn(PersistentVolumeClaim)).toBe("holdfast.dev/pvc-protection");
  expect(finalizerOn(Namespace)).not.toBe("");
  // Of systems that are not installed nothing is touched.
  expect(holds.map(({ kind }) => kind.kind)).not.toContain("LinstorSatellite");

  await make(Namespace, "shop", [finalizerOn(Namespace)]);
  await make(Namespace, "lab", [finalizerOn(Namespace)]);
  await make(PersistentVolumeClaim, "data", [others, finalizerOn(PersistentVolumeClaim)], "shop");
  await make(PersistentVolumeClaim, "free", [others], "shop");
  await make(PersistentVolumeClaim, "data", [finalizerOn(PersistentVolumeClaim)], "lab");

  const held = await heldObjects(client, holds, "shop");
  expect(held.map(({ object }) => object.metadata.name).sort()).toEqual(["data", "shop"]);
  expect(describeLetGo(await heldObjects(client, holds)).join(" ")).toContain(
    "The finalizer holdfast.dev/pvc-protection was removed from 2 persistentvolumeclaims: ",
  );
  expect(describeHeld(held).join(" ")).toContain(
    "One PersistentVolumeClaim carries the finalizer holdfast.dev/pvc-protection now: shop/data.",
  );
  await letGo(client, held);
  expect(await heldObjects(client, holds, "shop")).toEqual([]);
  const left = await client.get<KubernetesObject>(PersistentVolumeClaim, "shop", "data");
  expect(left?.metadata.finalizers).toEqual([others, inTreeProtection]);
  expect(await heldObjects(client, holds)).toHaveLength(2);
});

test("a finalizer that several rules remove is one hold, with the annotations of all of them", () => {
  const finalizers = [{ kind: PersistentVolumeClaim, finalizer: "holdfast.dev/a" }];
  const rules = [
    { name: "a/one", finalizers },
    { name: "a/two", finalizers, progressName: "a/both" },
    { name: "a/three", finalizers, progressName: "a/both" },
  ];
  expect(holdsOf(rules)).toEqual([
    {
      kind: PersistentVolumeClaim,
      finalizer: "holdfast.dev/a",
      annotations: ["holdfast.dev/a.one", "holdfast.dev/a.both"],
    },
  ]);
});
