import { setOwner } from "../../functions/pvc-retention/set-owner/rule.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { ApiRequest, Transport } from "../../shared/kubernetes/transport.ts";
import { receive } from "../../shared/pipeline/receive.ts";
import { claim, statefulSet } from "../../test/harness/manifest.ts";
import type { Plane } from "../plane/boot.ts";

const namespace = "default";
const name = "web";
const setPath = `/statefulsets/${name}`;

/**
 * How long a reference is under way, `count` times: from the moment at which `set-owner` asks for the set for the last
 * time before it ties a claim to the answer to that write, both in milliseconds. Somewhere in between the API server
 * has read the one and written the other: the window is no longer.
 */
export async function measureWindow({ admin, transport }: Plane, count: number): Promise<readonly number[]> {
  const spans: number[] = [];
  let asked = 0;
  const timed: Transport = async (request: ApiRequest) => {
    const ties = request.method === "PATCH" && request.path.includes("/persistentvolumeclaims/");
    if (request.method === "GET" && request.path.endsWith(setPath)) asked = performance.now();
    const begun = asked;
    const answer = await transport(request);
    if (ties && answer.status === 200) spans.push(performance.now() - begun);
    return answer;
  };
  const retention = { whenDeleted: "Delete", whenScaled: "Retain" };
  const data = { metadata: { name: "data" }, spec: claim({ name: "data" }).spec };
  const spec = { replicas: 0, persistentVolumeClaimRetentionPolicy: retention, volumeClaimTemplates: [data] };
  const object = statefulSet({ namespace, name }, spec);
  const { metadata } = await admin.create(StatefulSet, object);
  const labels = (object.spec as { selector: { matchLabels: Record<string, string> } }).selector.matchLabels;
  const note = (uid: string, more: object = {}) =>
    JSON.stringify({ v: 1, uid, step: "used", since: new Date().toISOString(), because: "It is measured.", ...more });
  const inForce = { annotations: { "holdfast.dev/pvc-retention.sync-policy": note(metadata.uid) } };
  await admin.patch(StatefulSet, namespace, name, "merge", { metadata: inForce });

  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const clock = { now: Date.now, after: () => silent, sleep: async () => {} };
  const client = createClient(timed);
  const handle = receive(setOwner, { client: () => client, clock, log, settings: {} });
  const headers = {
    "ce-specversion": "1.0",
    "ce-source": "bench",
    "ce-type": "dev.holdfast.sweep",
    "ce-kind": "StatefulSet",
    "ce-apiversion": "apps/v1",
    "ce-name": name,
    "ce-namespace": namespace,
  };
  for (let index = 0; index < count; index++) {
    const one = claim({ namespace, name: `data-${name}-${index}`, labels });
    const { uid } = (await admin.create(PersistentVolumeClaim, one)).metadata;
    const used = {
      annotations: { "holdfast.dev/pvc-retention.set-owner": note(uid, { set: metadata.uid, labels: "match" }) },
    };
    await admin.patch(PersistentVolumeClaim, namespace, one.metadata.name, "merge", { metadata: used });
    const { status } = await handle({ headers: { ...headers, "ce-id": String(index) }, body: "" });
    if (status !== 204 || spans.length !== index + 1) throw new Error(`Claim ${index} was not tied: ${status}.`);
  }
  return spans;
}
