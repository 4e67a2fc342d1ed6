import { eventingDefinitions } from "../../local/knative/definitions.ts";
import { serviceDefinition } from "../../local/serving/definition.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { install } from "../harness/installation.ts";
import { readKustomization } from "../manifests/kustomization.ts";

/** What Knative's controllers, or those of Kubernetes, say of what runs. */
const ready = {
  conditions: [{ type: "Ready", status: "True" }],
  readyReplicas: 1,
  updatedReplicas: 1,
  replicas: 1,
};

/** Installs an overlay of `knative/overlays` as an administrator does, on a cluster where all of it becomes ready. */
export async function installOverlay(admin: Client, overlay: "default" | "no-knative"): Promise<void> {
  const objects = readKustomization(`knative/overlays/${overlay}`).objects as unknown as KubernetesObject[];
  const definitions = [...eventingDefinitions, serviceDefinition] as unknown as KubernetesObject[];
  if (overlay === "default") await install(admin, definitions);
  // Without Knative these are what a Deployment has as files.
  const isEventing = ({ apiVersion }: KubernetesObject) => /knative\.dev\//.test(apiVersion);
  const wanted = objects.filter(
    (one) => one.metadata.name !== "holdfast" && (overlay === "default" || !isEventing(one)),
  );
  await install(admin, wanted);
  const served = await discover(admin, () => {});
  for (const { apiVersion, kind: kindName, metadata } of wanted) {
    const runs = kindName === "Deployment" || isEventing({ apiVersion } as KubernetesObject);
    const kind = served.find((one) => one.apiVersion === apiVersion && one.kind === kindName);
    if (!runs || !kind) continue;
    const status = kindName === "Deployment" ? { ...ready, conditions: [] } : { conditions: ready.conditions };
    await admin.patch(kind, metadata.namespace, metadata.name, "merge", { status }, { subresource: "status" });
  }
}
