import { expect, test } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { bareNode } from "../../harness/cluster-objects.ts";
import { pod } from "../../harness/manifest.ts";
import { openCluster } from "../../harness/open-cluster.ts";
import {
  claimName,
  claimOf,
  dataGoes,
  deletePod,
  deleteSet,
  podIsGone,
  runningData,
  runningSet,
  scale,
} from "./helpers.ts";
import { watchInvariants } from "./invariants.ts";
import { onDeletion } from "./policies.ts";
import { byDefault } from "./settings.ts";

async function violationsOf(run: (cluster: Cluster) => Promise<void>): Promise<unknown> {
  const cluster = await openCluster(byDefault);
  const invariants = watchInvariants(cluster);
  await run(cluster);
  return invariants.check().then(
    () => [],
    ({ actual }) => actual,
  );
}

const deleteClaim = ({ admin, namespace }: Cluster, ordinal: number) =>
  admin.delete(PersistentVolumeClaim, namespace, claimName(ordinal));

test("a deletion of a claim that has to stay is found: of a removed or wanted replica, or a deleted set", async () => {
  const found = await violationsOf(async (cluster) => {
    const data = await runningData(cluster, { policy: "Retain", replicas: 3 });
    await scale(cluster, 2);
    await podIsGone(cluster, 2);
    await deleteClaim(cluster, 2);
    await deleteClaim(cluster, 1);
    await deletePod(cluster, 1);
    await dataGoes(cluster, [1, 2], data.slice(1));
    await deleteSet(cluster);
    await podIsGone(cluster, 0);
    await deleteClaim(cluster, 0);
    await dataGoes(cluster, [0], data);
  });
  expect(found).toEqual([
    "Claim data-web-2 went, although whenScaled is Retain.",
    "Claim data-web-1 went, although the set wants it.",
    "Claim data-web-0 went, although whenDeleted is Retain.",
  ]);
});

test("a pod that runs with a claim that was being deleted before the pod was created is found", async () => {
  const found = await violationsOf(async (cluster) => {
    const { admin, namespace } = cluster;
    await runningSet(cluster, { policy: onDeletion, replicas: 1 });
    await deleteClaim(cluster, 0);
    expect((await claimOf(cluster, 0))?.metadata.deletionTimestamp).toBeDefined();
    await admin.create(Pod, pod({ namespace, name: "late" }, [claimName(0)], { nodeName: bareNode }));
    await admin.patch(Pod, namespace, "late", "merge", { status: { phase: "Running" } }, { subresource: "status" });
  });
  expect(found).toEqual([
    "Claim data-web-0 went, although the set wants it.",
    "Pod late mounts claim data-web-0, which is being deleted.",
  ]);
});
