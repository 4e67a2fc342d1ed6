import { type CopyOnNode, copiesLostWith } from "../../functions/satellite/lib/data/copies-lost.ts";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { linstorAddresses } from "../../functions/satellite/lib/linstor/controllers.ts";
import { linstor } from "../../functions/satellite/lib/linstor/system.ts";
import { lookAtSatellite } from "../../functions/satellite/lib/look-at-satellite.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { type Kind, Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { matchesNodeSelector, type NodeSelector } from "../../shared/kubernetes/node-selector.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { readSettings } from "../../shared/settings.ts";
import type { Volume } from "../../shared/storage/volume.ts";
import { SystemError } from "../../shared/system/system-error.ts";
import { asIf, changedTo } from "../cluster/as-if.ts";
import { readOrNote } from "../cluster/read-or-note.ts";
import { askingWith, type FoundRules } from "../rules/ask-rules.ts";
import { judge } from "../rules/judge.ts";
import type { Prediction } from "./prediction.ts";

interface Pinned extends Volume {
  spec: Volume["spec"] & { nodeAffinity?: { required?: NodeSelector } };
}

/** What a Machine, or a Node, takes with it when it is deleted. */
export interface NodePrediction extends Prediction {
  /** PersistentVolumes that no other Node can reach. */
  readonly localVolumes: readonly string[];
  /** Copies that LINSTOR has on it; absent where no satellite of that name is there. */
  readonly copies?: readonly CopyOnNode[];
}

/** What the deletion of a Machine, or of a Node, takes, and what rules would do first. @throws ApiError */
export async function ifMachineDeleted(
  client: Client,
  kind: Kind,
  object: KubernetesObject,
  rules: FoundRules,
): Promise<NodePrediction> {
  const [notes, gaps]: [string[], string[]] = [[], []];
  const { status } = object as { status?: { nodeRef?: { name?: string } } };
  const name = kind.kind === Node.kind ? object.metadata.name : status?.nodeRef?.name;
  if (name === undefined) notes.push("It has no Node yet.");
  const localVolumes = name === undefined ? [] : ((await pinnedTo(client, name, gaps)) ?? []);
  const copies = name === undefined ? undefined : await copiesOn(client, name, rules, notes, gaps);
  for (const key of Object.keys(object.metadata.annotations ?? {}))
    if (/^pre-(drain|terminate)\.delete\.hook\.machine\.cluster\.x-k8s\.io/.test(key))
      notes.push(`The hook ${key} holds it until the program that has set the hook removes it.`);
  notes.push(...(await saidBy(client, kind, object, rules, gaps)));
  const change = `Delete ${describe(referenceTo(object))}`;
  return { change, claims: [], localVolumes, ...(copies ? { copies } : {}), notes, gaps };
}

/** The volumes that this Node alone can reach. */
const pinnedTo = (client: Client, name: string, gaps: string[]) =>
  readOrNote(gaps, "Which volumes are local to it", async () => {
    const nodes = await Array.fromAsync(client.list<KubernetesObject>(Node, { metadataOnly: true }));
    if (!nodes.some(({ metadata }) => metadata.name === name))
      gaps.push(
        `Node ${name} is not on this cluster, so its volumes are not known. Give the --kubeconfig of the cluster ` +
          "that has the Node.",
      );
    const pinned: string[] = [];
    for await (const { metadata, spec } of client.list<Pinned>(PersistentVolume)) {
      const required = spec.nodeAffinity?.required;
      if (!required) continue;
      const reach = nodes.filter(({ metadata: { name, labels } }) => matchesNodeSelector(required, { name, labels }));
      const { namespace, name: claim } = spec.claimRef ?? {};
      if (reach.length === 1 && reach[0]?.metadata.name === name)
        pinned.push(`${metadata.name}${claim ? ` of claim ${namespace}/${claim}` : ""}`);
    }
    return pinned;
  });

/** What LINSTOR has on the node of a satellite. */
async function copiesOn(client: Client, name: string, rules: FoundRules, notes: string[], gaps: string[]) {
  const rule = rules.installed.find((one) => one.rule.systems && "linstor" in one.rule.systems);
  const satellite = rule
    ? await readOrNote(gaps, `${LinstorSatellite.kind} ${name}`, () =>
        lookAtSatellite(client, name, readSettings(linstorAddresses, process.env)),
      )
    : undefined;
  if (!rule || !satellite) return undefined;
  notes.push(`${LinstorSatellite.kind} ${name} has the policy ${satellite.policy}: ${policies[satellite.policy]}`);
  try {
    const own = askingWith(client).connect(rule)(linstor).at(satellite.controller);
    const here = (await own.resources.onNode(name)) ?? [];
    const all = here.length > 0 ? await own.resources.of([...new Set(here.map((one) => one.name))]) : [];
    return copiesLostWith(name, all, await own.nodes.list());
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    gaps.push(`Which copies LINSTOR has there: ${error.message}`);
    return undefined;
  }
}

const policies = {
  Retain: "LINSTOR keeps the node with all that is known of it, for a Node of that name that comes again.",
  Delete: "LINSTOR gives the node up with all that is on it, as soon as it is offline.",
  Evacuate: "the Machine waits until LINSTOR has enough copies elsewhere.",
} as const;

/** What rules would do first, were it being deleted now. */
async function saidBy(client: Client, kind: Kind, live: KubernetesObject, rules: FoundRules, gaps: string[]) {
  const deletionTimestamp = live.metadata.deletionTimestamp ?? new Date().toISOString();
  const object = { ...live, metadata: { ...live.metadata, deletionTimestamp } };
  const asking = askingWith(asIf(client, [changedTo(kind, object)]));
  const said: string[] = [];
  if (rules.isGuess) gaps.push("You may not read which functions are installed: what they would do is not known.");
  for (const asked of rules.isGuess ? [] : rules.installed) {
    const judgement = await judge(asked, kind, object, asking);
    if ("unknown" in judgement) gaps.push(`${asked.rule.name} could not look: ${judgement.unknown}`);
    else
      for (const { do: what, message } of judgement.decisions)
        if (what !== "leave") said.push(`First, ${asked.rule.name}: ${message}`);
  }
  return said;
}
