import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { listServed } from "../../shared/uninstall/list-served.ts";
import type { Check } from "./finding.ts";

const Deployment: Kind = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true };

/** A Deployment of others that does the same work. */
interface Other {
  readonly name: RegExp;
  readonly why: string;
  readonly todo: string;
}

const others: Readonly<Record<string, readonly Other[]>> = {
  satellite: [
    {
      name: /^piraeus-operator(-controller-manager)?$/,
      why: "piraeus-operator creates and evacuates satellites, too. Two that evacuate one node have lost data.",
      todo: "Follow docs/satellites.md, Move from piraeus-operator's own handling: it is stopped first.",
    },
  ],
  volume: [
    {
      name: /^storage-operator(-controller-manager)?$/,
      why: "MetalK8s' own storage-operator makes and deletes the same Volumes.",
      todo: "Scale it to zero before Holdfast's functions come.",
    },
  ],
};

/** Who else does the work of these systems, and runs. @throws ApiError */
export async function whoElse(client: Client, systems: readonly string[]): Promise<readonly Check[]> {
  const wanted = systems.flatMap((system) => others[system] ?? []);
  if (wanted.length === 0) return [];
  const found: Check[] = [];
  type Replicated = KubernetesObject & { spec?: { replicas?: number } };
  for await (const { metadata, spec } of listServed<Replicated>(client, Deployment))
    for (const { name, why, todo } of wanted)
      if (name.test(metadata.name) && spec?.replicas !== 0)
        found.push({ what: `Deployment ${metadata.namespace}/${metadata.name} runs.`, why, todo });
  return found;
}
