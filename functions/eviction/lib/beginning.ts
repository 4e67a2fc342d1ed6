import { admit, grant, type Member, readGranted } from "../../../shared/budget/budget.ts";
import { windowAt } from "../../../shared/budget/maintenance-window.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { Lease } from "../../../shared/kubernetes/lease.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { ownNamespace } from "../../../shared/own-namespace.ts";
import { type ComputeNode, noMoves, readRecord } from "./compute-node.ts";
import { isApproved, isEnabled, wantedOf } from "./dependent.ts";
import { NovaComputeNode } from "./kinds.ts";
import { isNotReady } from "./outage.ts";
import type { DependentObject } from "./schema.ts";
import type { Common } from "./settings.ts";

/** The Lease that notes which hosts may leave. */
export const registerName = "holdfast-eviction-budget";

/** Who is out and who may go out, of all compute nodes. */
export interface Budget {
  readonly register: KubernetesObject | undefined;
  readonly namespace: string;
  readonly members: readonly Member[];
}

/**
 * The register is read before what it counts.
 *
 * @throws ApiError
 */
export async function readBudget(client: Client, settings: Common): Promise<Budget> {
  const { agentNamespace, evictionGroupLabel } = settings;
  const namespace = ownNamespace();
  const register = await client.get(Lease, namespace, registerName);
  const nodes = new Map<string, KubernetesObject>();
  for await (const node of client.list(Node)) nodes.set(node.metadata.name, node);
  const members: Member[] = [];
  for await (const object of client.list<DependentObject>(NovaComputeNode, { namespace: agentNamespace })) {
    const { uid, name } = object.metadata;
    const node = nodes.get(name);
    const record = readRecord(object);
    const begun = record !== undefined && record.baseline !== noMoves;
    members.push({
      ...{ uid, name, group: node?.metadata.labels?.[evictionGroupLabel] ?? "" },
      // The servers of a host that is only disabled run on: of several, one can be cleared.
      isOut: isNotReady(node) || begun || (record === undefined && !isEnabled(object)),
      isLeaving: begun || (isApproved(object, settings) && ["clear", "go"].includes(wantedOf(object, node))),
    });
  }
  return { register, namespace, members };
}

/**
 * Whether an eviction may begin: the writes that must come before it, or what it waits for, and until when. A host that
 * is down is out already: its servers wait for no budget and no window.
 */
export function mayBegin(
  { object, node }: ComputeNode,
  { register, namespace, members }: Budget,
  settings: Common,
  now: number,
): { readonly writes: readonly Write[] } | { readonly message: string; readonly next?: number } {
  if (isNotReady(node)) return { writes: [] };
  const { evictionWindow, evictionWindowLength, evictionTimeZone, evictionMaxUnavailable } = settings;
  const opens = windowAt(evictionWindow, evictionWindowLength, evictionTimeZone, now);
  if (opens === undefined || opens > now) {
    const when = opens === undefined ? "EVICTION_WINDOW names none that is to come" : new Date(opens).toISOString();
    return { message: `It begins when a maintenance window opens: ${when}.`, ...(opens ? { next: opens } : {}) };
  }
  const me = members.find(({ uid }) => uid === object.metadata.uid);
  if (!me) return { message: "The compute nodes have changed in the meantime." };
  const verdict = admit(me, members, readGranted(register), evictionMaxUnavailable);
  if (verdict.admitted) return { writes: grant(register, { namespace, name: registerName }, verdict.granted) };
  const group = me.group ? ` of the group ${me.group}` : "";
  return {
    message:
      `It waits. Of the ${verdict.of} compute nodes${group}, at most ${verdict.most} may be out at the same time, ` +
      `and out are: ${verdict.out.join(", ")}.`,
  };
}
