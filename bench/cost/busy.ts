import type { Client } from "../../shared/kubernetes/client.ts";
import { Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { ConfigMap, Node } from "../../test/harness/kinds.ts";
import { configMap, manifest } from "../../test/harness/manifest.ts";
import { pod } from "../pods.ts";

const namespace = "default";
const pods = 50;
const nodes = 10;

/** Furnishes a cluster that is about to be busy: pods of a few kilobytes on nodes. */
export async function furnishBusy(admin: Client): Promise<void> {
  for (let index = 0; index < nodes; index++) await admin.create(Node, manifest(Node, { name: `node-${index}` }));
  await admin.create(ConfigMap, configMap({ namespace, name: "leader" }));
  for (let index = 0; index < pods; index++) await admin.create(Pod, aPod(`web-${index}`, `node-${index % nodes}`));
}

/**
 * A cluster in which much goes on and nothing is deleted, scaled or evicted: of every twenty changes fourteen are of a
 * pod's status (probes that come and go), two of a pod's labels, two are a node's heartbeat, one is a new pod and one a
 * ConfigMap's.
 */
export async function keepBusy(admin: Client, changes: number): Promise<void> {
  for (let index = 0; index < changes; index++) {
    const name = `web-${index % pods}`;
    const node = `node-${index % nodes}`;
    switch (index % 10) {
      case 7:
        await admin.patch(Pod, namespace, name, "merge", { metadata: { labels: { turn: String(index) } } });
        break;
      case 8:
        if (index % 20 === 8) await admin.create(Pod, aPod(`job-${index}`, node));
        else await admin.patch(ConfigMap, namespace, "leader", "merge", { data: { renewed: String(index) } });
        break;
      case 9: {
        const condition = { type: "Ready", status: "True", lastHeartbeatTime: timeOf(index) };
        const status = { conditions: [condition] };
        await admin.patch(Node, undefined, node, "merge", { status }, { subresource: "status" });
        break;
      }
      default: {
        const ready = index % 3 === 0 ? "False" : "True";
        const status = { conditions: [{ type: "Ready", status: ready, lastTransitionTime: timeOf(index) }] };
        await admin.patch(Pod, namespace, name, "merge", { status }, { subresource: "status" });
      }
    }
  }
}

/** A running pod of about 6 kB. */
export function aPod(name: string, node: string, claim?: string): KubernetesObject {
  const shape = { namespace, name, node, bytes: 6000, asCreated: true, ...(claim === undefined ? {} : { claim }) };
  return pod(shape) as unknown as KubernetesObject;
}

const timeOf = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString().replace(".000", "");
