import { expect, onTestFinished, test, vi } from "vitest";
import { customResourceDefinition } from "../../build/manifests/crd/definition.ts";
import { ifMachineDeleted } from "../../cli/what-if/machine.ts";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { customKinds } from "../../functions/satellite/lib/schema/custom-kinds.ts";
import { definitions, infrastructureRef } from "../../local/cluster-api/kinds.ts";
import { serveSystem } from "../../local/system-server/serve-system.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { addressOf, openBed } from "../contract/linstor/stand-in.ts";
import { install } from "../harness/installation.ts";
import { manifest, persistentVolume, reachedFrom } from "../harness/manifest.ts";
import { type CliCluster, openCliCluster } from "./open-cluster.ts";

test("where no function was found, what-if ends with 2 and says where to look for them", async () => {
  const cluster = await openCliCluster(["pvc-protection/release"]);
  await cluster.admin.create(Node, manifest(Node, { name: "w1" }));
  const asked = ["what-if", "delete", "node/w1"];
  expect(await cluster.holdfast(asked)).toMatchObject({ code: 0, err: "" });
  const { code, out } = await cluster.holdfast([...asked, "--install-namespace", "other"]);
  expect(code).toBe(2);
  expect(out).toContain("Not known: No function of Holdfast was found.");
});

test("of a Machine whose Node is on another cluster, what is on the Node is not known", async () => {
  const { admin } = await openCliCluster([]);
  const machine = manifest(Machine, { name: "w1" }, { status: { nodeRef: { name: "w1" } } });
  const { gaps } = await ifMachineDeleted(admin, Machine, machine, {
    installed: [],
    all: [],
    kinds: [],
    isGuess: false,
  });
  expect(gaps).toEqual([
    "Node w1 is not on this cluster, so its volumes are not known. " +
      "Give the --kubeconfig of the cluster that has the Node.",
  ]);
});

/** A Machine of Node w1, which another program holds, and another Node. */
async function withMachine(functions: readonly string[]): Promise<CliCluster> {
  const cluster = await openCliCluster(functions);
  const { admin } = cluster;
  await install(admin, [...definitions, ...customKinds.map(customResourceDefinition)] as unknown as KubernetesObject[]);
  for (const name of ["w1", "w2"])
    await admin.create(Node, manifest(Node, { name, labels: { "kubernetes.io/hostname": name } }));
  const annotations = { "pre-drain.delete.hook.machine.cluster.x-k8s.io/backup": "" };
  const metadata = { namespace: "default", name: "machine-1", annotations };
  const bootstrap = { dataSecretName: "none" };
  const spec = { clusterName: "a", bootstrap, infrastructureRef };
  await admin.create(Machine, manifest(Machine, metadata, { spec }));
  const status = { nodeRef: { name: "w1" } };
  await admin.patch(Machine, "default", "machine-1", "merge", { status }, { subresource: "status" });
  return cluster;
}

/** Creates a volume that only these Nodes can reach. */
async function volumeOn(admin: Client, name: string, hosts: readonly string[]): Promise<void> {
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "shop", name, uid: name };
  const spec = { hostPath: { path: `/tmp/${name}` }, claimRef, nodeAffinity: reachedFrom(hosts) };
  await admin.create(PersistentVolume, persistentVolume({ name: `pv-${name}` }, spec));
}

const deleteMachine = ["what-if", "delete", "machine/machine-1", "-n", "default"];

test("of a Machine, what-if names the volumes that only its Node can reach, and who holds it", async () => {
  const cluster = await withMachine(["pvc-protection/release"]);
  await volumeOn(cluster.admin, "local", ["w1"]);
  await volumeOn(cluster.admin, "shared", ["w1", "w2"]);
  const before = await cluster.admin.get(Machine, "default", "machine-1");
  const { code, out, err } = await cluster.holdfast(deleteMachine);
  expect([code, err]).toEqual([1, ""]);
  expect(out).toContain("goes Volume pv-local of claim shop/local: no other Node can reach its storage.\n");
  expect(out).not.toContain("pv-shared");
  expect(out).toContain("The hook pre-drain.delete.hook.machine.cluster.x-k8s.io/backup holds it until");
  expect(await cluster.admin.get(Machine, "default", "machine-1")).toEqual(before);
});

test("of a Machine with a satellite, what-if names copies that stay elsewhere, and the last copy", async () => {
  const { linstor, clock, ask } = await openBed(["w1", "w2"]);
  linstor.addVolume("twice", { copies: ["w1", "w2"] });
  linstor.addVolume("once", { copies: ["w1"] });
  linstor.addVolume("afar", { copies: ["w2"] });
  await clock.advance(60_000);
  await ask("GET", "/v1/nodes");
  const served = await serveSystem((request) => outcomeOf(clock, linstor.transport(request), 60_000));
  onTestFinished(() => served.close());
  vi.stubEnv("LINSTOR_URL", served.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const cluster = await withMachine(["satellite/set-hooks", "satellite/evacuate"]);
  const { admin, holdfast } = cluster;
  const satellite = { spec: { clusterRef: { name: "a" }, deletionPolicy: "Evacuate" } };
  await admin.create(LinstorSatellite, manifest(LinstorSatellite, { name: "w1" }, satellite));
  const { code, out } = await holdfast(deleteMachine);
  expect(out).toContain("  copy twice: good copies stay on w2.\n");
  expect(out).toContain("  last once: no other node that is online has a good copy.\n");
  expect(out).not.toContain("afar");
  expect(out).toContain("LinstorSatellite w1 has the policy Evacuate: the Machine waits until LINSTOR has enough");
  expect(code).toBe(1);
  linstor.stopSatellite(addressOf("w2"));
  await clock.advance(60_000);
  expect((await holdfast(deleteMachine)).out).toContain(
    "  last twice: no other node that is online has a good copy.\n",
  );
  await served.close();
  const { code: unknown, out: less } = await holdfast(deleteMachine);
  expect([unknown, less]).toEqual([2, expect.stringContaining("Not known: Which copies LINSTOR has there: LINSTOR")]);
});
