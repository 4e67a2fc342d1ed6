import { expect } from "vitest";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { PersistentVolume, PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { Namespace } from "../../harness/kinds.ts";
import type { Server } from "../../harness/server.ts";
import { run } from "../kubectl.ts";
import { makeNamespace } from "../make-namespace.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import type { Walk } from "./walk.ts";

const home = "holdfast";
const namespace = "walk-check";
const knativeKinds = "ksvc,brokers,triggers,apiserversources,pingsources";

/**
 * Walks the section by which a page checks an install with Knative. `status` must fail first, because nothing here
 * reconciles Knative's objects; then each of them gets the status that Knative's controllers write when all is well.
 *
 * @returns what the commands print, with a claim in the cluster, which is protected if the install has the admission
 *   policy that does this
 */
export async function checkThatItWorks(
  walk: Walk,
  { admin, eventually }: Server,
  kubeconfig: string,
  page: string,
  isProtected: boolean,
): Promise<string> {
  const script = scriptOf(blocksBelow(page, "Check that it works"));
  await forgetNotes(admin);
  await expect(walk.run(script)).rejects.toThrow("The walk ends with 1");
  const { items } = JSON.parse(run(["-n", home, "get", knativeKinds, "-o", "json"], kubeconfig));
  const conditions = [{ type: "Ready", status: "True" }];
  for (const { apiVersion, kind, metadata } of items as KubernetesObject[]) {
    const of = { apiVersion, kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
    await admin.patch(of, home, metadata.name, "merge", { status: { conditions } }, { subresource: "status" });
  }
  makeNamespace(namespace, kubeconfig);
  try {
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    await eventually("the policies of the install are in force", async () => {
      const made = await admin.create(PersistentVolumeClaim, claim as unknown as KubernetesObject);
      if (!isProtected || made.metadata.finalizers?.includes("holdfast.dev/pvc-protection")) return true;
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      return false;
    });
    return await walk.run(script);
  } finally {
    run(["delete", "namespace", namespace, "--wait=false"], kubeconfig);
  }
}

/** `status` looks at the whole cluster: also at what suites before this one have left on this control plane. */
async function forgetNotes(admin: Client): Promise<void> {
  for (const kind of [PersistentVolume, PersistentVolumeClaim, StatefulSet, Namespace])
    for await (const { metadata } of admin.list<KubernetesObject>(kind)) {
      const notes = Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith("holdfast.dev/"));
      const annotations = Object.fromEntries(notes.map((key) => [key, null]));
      if (notes.length > 0)
        await admin.patch(kind, metadata.namespace, metadata.name, "merge", { metadata: { annotations } });
    }
}

const set = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "web", namespace: "shop", annotations: { "holdfast.dev/pvc-delete-policy": "Retain" } },
  spec: {
    replicas: 0,
    serviceName: "web",
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } },
  },
};

/** Walks the commands that show the policies of sets, as the check of PVC retention has them, with one set. */
export async function lookAtPolicies(walk: Walk, kubeconfig: string): Promise<string> {
  makeNamespace(set.metadata.namespace, kubeconfig);
  try {
    run(["apply", "-f", "-"], kubeconfig, JSON.stringify(set));
    return await walk.run(scriptOf(blocksBelow("docs/retention.md", "Seeing what is going on")));
  } finally {
    run(["delete", "namespace", set.metadata.namespace, "--wait=false"], kubeconfig);
  }
}
