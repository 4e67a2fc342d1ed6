import { about } from "../../../shared/about.ts";
import { type Away, orAway, waitsFor } from "../../../shared/chain/away.ts";
import { nextLook } from "../../../shared/chain/next-look.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { conditionWrites } from "../../../shared/kubernetes/condition-writes.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { progressKey } from "../../../shared/progress.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent } from "../../../shared/steps.ts";
import { due, resync } from "../../../shared/sweep.ts";
import { isReady } from "../lib/agent-pod.ts";
import { confirmMove, enableService, endForcedDown } from "../lib/commands.ts";
import { type ComputeNode, findComputeNode } from "../lib/compute-node.ts";
import { resourcesIn } from "../lib/dependent.ts";
import { unsettled } from "../lib/evacuation.ts";
import { isDisabledByUs, isForcedDownByUs, lookAtHost } from "../lib/host.ts";
import { NovaComputeNode } from "../lib/kinds.ts";
import { abandonKey, approvalKey, conditions, fencedKey } from "../lib/names.ts";
import { openstack } from "../lib/openstack/system.ts";
import { isForced } from "../lib/outage.ts";
import { mayLook, mayRecordEvents } from "../lib/permissions.ts";
import { type HostFacts, isEvacuation, ourOpenMoves } from "../lib/plan.ts";
import { recordKey } from "../lib/record.ts";
import { enabledReport, evictedReport, reports } from "../lib/report.ts";
import type { DependentObject } from "../lib/schema.ts";
import { type Common, common } from "../lib/settings.ts";

const name = "eviction/enable-compute";

/** A compute node that serves, or whose eviction was called off. `at` says how far OpenStack was asked. */
type Facts = { readonly compute: ComputeNode } & (
  | { readonly at: "leaving" }
  | { readonly at: "serving" }
  | { readonly at: "away"; readonly away: Away }
  | { readonly at: "seen"; readonly host: HostFacts | undefined }
);

export const enableCompute = rule({
  name,
  doc: "Enables what Holdfast has disabled when a compute node is to stay after all, and ends what was in flight.",
  settings: common,
  common,
  systems: { openstack },
  triggers: [on(NovaComputeNode, ["update"])],
  permissions: [...mayLook({ annotations: [recordKey, abandonKey, approvalKey, fencedKey] }), mayRecordEvents],
  sweep: [due(NovaComputeNode), resync(NovaComputeNode)],
  steps: { called: silent, waiting: silent, away: silent },
  subjects: (hint) =>
    resourcesIn(
      hint,
      [NovaComputeNode],
      (object) => object.metadata.annotations?.[progressKey(name)] !== undefined || !serves(object),
    ),
  look: async (subject, { client, openstack, settings }): Promise<readonly Facts[]> => {
    const [compute] = await findComputeNode(subject, { client, settings });
    if (!compute) return [];
    const { object, record, foreign, wanted, isApproved } = compute;
    const isCalledOff = wanted === "stay" || (wanted !== "disable" && !isApproved && record !== undefined);
    if (foreign || !isCalledOff) return [{ compute, at: "leaving" }];
    if (serves(object) && !subject.resync) return [{ compute, at: "serving" }];
    const { metadata } = object;
    const looked = await orAway(() => lookAtHost(openstack.nova, metadata.name, record, settings.evictionAttempts));
    return "away" in looked ? [{ compute, at: "away", ...looked }] : [{ compute, at: "seen", host: looked.read }];
  },
  decide: (found: readonly Facts[], now, settings) => found.map((facts) => decide(facts, now, settings)),
});

/** It says that it serves, and nothing of an eviction is left, nor of its having been given up. A hint. */
function serves(object: KubernetesObject): boolean {
  const { metadata, status } = object as DependentObject;
  const isEnabled = status?.conditions?.some(({ type, status }) => type === conditions.enabled && status === "True");
  return (isEnabled ?? false) && [recordKey, abandonKey].every((key) => metadata.annotations?.[key] === undefined);
}

function decide(facts: Facts, now: number, settings: Common): Decision {
  const { object, record, pods, wanted } = facts.compute;
  const at = about(NovaComputeNode, object);
  const again = settings.evictionLookAgain;
  const next = nextLook(object, name, now, again);
  const show = (wanted: readonly WantedCondition[]) => conditionWrites(NovaComputeNode, object, wanted, now);
  const wait = (message: string, more: readonly WantedCondition[] = []) => {
    const converged = { type: conditions.converged, status: "False", reason: "Dependency", message };
    return at.write(message, show([converged, ...more]), { step: { name: "waiting" }, next });
  };
  if (facts.at === "leaving") return at.leave("It is to leave, or is not Holdfast's.");
  if (facts.at === "serving") return at.leave("It serves.");
  if (facts.at === "away") {
    const away = waitsFor(facts.away, "The NovaComputeNode", object, name, now, again);
    const converged = { type: conditions.converged, status: "False", reason: "Dependency", message: away.message };
    return at.write(away.message, show([converged]), { step: away.step, next: away.next });
  }
  const { host } = facts;
  // Where no pod may be, nova-compute cannot have come to Nova; a label that changes is an event.
  if (!host && pods.length === 0) return at.leave("Its pod is not on the Node yet.");
  if (!host) return wait("nova-compute has not come to Nova yet: look at the log of its pod if that takes long.");
  const { service } = host;
  const seen = enabledReport(service);
  if (isForcedDownByUs(service, object) || isForced({ compute: facts.compute, host })) {
    const held = unsettled(host, record, now);
    if (held) return wait(held, [seen]);
    if (!pods.some(isReady)) return wait("nova-compute is let back when its pod is Ready on its Node.", [seen]);
    const left = host.migrations.filter((move) => isEvacuation(move) && move.status === "done").length;
    if (left > 0)
      return wait(
        `Nova holds nova-compute of ${service.host} down until it has started once more and put away ${left} servers ` +
          "that were evacuated from it (their migrations are `done`, and become `completed`).",
        [seen],
      );
    const message = `nova-compute of ${service.host} is let back, because Holdfast had forced it down.`;
    const command = endForcedDown({ service: service.id });
    return at.call(message, { step: { name: "called" }, writes: show([seen]), command, next });
  }
  if (isDisabledByUs(service, object)) {
    if (!pods.some(isReady)) return wait("nova-compute is enabled again when its pod is Ready.", [seen]);
    if (service.state !== "up") return wait("nova-compute is enabled again when it reports to Nova.", [seen]);
    const message = `nova-compute of ${service.host} is enabled again, because Holdfast had disabled it.`;
    const command = enableService({ service: service.id });
    return at.call(message, { step: { name: "called" }, writes: show([seen]), command, next });
  }
  const open = record ? ourOpenMoves(host, record) : [];
  const finished = open.find(({ status }) => status === "finished");
  const message = `${open.length} moves that were begun before are still under way.`;
  if (finished && service.state === "up") {
    const command = confirmMove({ server: finished.server });
    return at.call(message, { step: { name: "called" }, writes: show([seen]), command, next });
  }
  if (open.length > 0) return wait(message, [seen]);
  const isAsked = wanted !== "stay";
  const converged = {
    type: conditions.converged,
    status: "True",
    reason: "Success",
    message: service.isEnabled ? "nova-compute serves." : "nova-compute is disabled, and not by Holdfast: it stays so.",
  };
  const over = {
    [recordKey]: null,
    [abandonKey]: null,
    [fencedKey]: null,
    ...(isAsked ? {} : { [approvalKey]: null }),
  };
  const wasDown = object.status?.conditions?.some(({ type }) => type === conditions.hostDown);
  const left = Object.keys(over).some((key) => object.metadata.annotations?.[key] !== undefined);
  return at.write(converged.message, [
    ...(left ? [annotate(NovaComputeNode, object, over)] : []),
    ...show([converged, seen, evictedReport("NotEvicting"), ...(wasDown ? [reports(service)] : [])]),
  ]);
}
