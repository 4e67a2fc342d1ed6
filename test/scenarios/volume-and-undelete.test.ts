import { expect, test } from "vitest";
import { Namespace, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { claim } from "../harness/manifest.ts";
import { openCluster } from "../harness/open-cluster.ts";
import {
  createNodeAndClass,
  createVolume,
  eventsOn,
  persistentVolumeOf,
  reaches,
  remove,
  swept,
} from "./volume/helpers.ts";
import { standInSalt } from "./volume/settings.ts";

test("undelete leaves the PersistentVolume of a Volume alone, and says so", async () => {
  const cluster = await openCluster(standInSalt);
  const { admin, namespace } = cluster;
  await admin.patch(Namespace, undefined, namespace, "merge", {
    metadata: { annotations: { "holdfast.dev/keep-volume-for": "24h" } },
  });
  const storageClassName = await createNodeAndClass(cluster);
  const name = await createVolume(cluster);
  await reaches(cluster, name, "Available");
  const spec = { storageClassName, resources: { requests: { storage: "8Mi" } } };
  await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }, spec));
  const said = async () => (await eventsOn(cluster, name)).find((note) => note.startsWith("VolumeNotKept"));
  expect(await swept(cluster, "it is said", said)).toContain(`is controlled by Volume ${name}`);

  const ours = ({ metadata }: KubernetesObject) =>
    Object.keys({ ...metadata.labels, ...metadata.annotations }).filter((key) => key.startsWith("holdfast.dev/"));
  const bound = await persistentVolumeOf(cluster, name);
  expect(bound?.status?.phase).toBe("Bound");
  expect(ours(bound as KubernetesObject)).toEqual([]);

  await admin.delete(PersistentVolumeClaim, namespace, "data");
  for (let ticks = 0; ticks < 3; ticks++) {
    await cluster.rest();
    await cluster.sweep();
  }
  const released = await persistentVolumeOf(cluster, name);
  expect(released?.status?.phase).toBe("Released");
  expect(released?.spec?.claimRef?.uid).toBe(bound?.spec?.claimRef?.uid);
  expect(ours(released as KubernetesObject)).toEqual([]);

  await remove(cluster, name);
  await cluster.stop();
});
