import { about } from "../../../shared/about.ts";
import { type Away, orAway, waitsFor } from "../../../shared/chain/away.ts";
import type { Decision } from "../../../shared/decision.ts";
import { objectsIn } from "../../../shared/event/objects-in.ts";
import { conditionOf, type WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { conditionWrites } from "../../../shared/kubernetes/condition-writes.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { due, resync } from "../../../shared/sweep.ts";
import type { Command } from "../../../shared/system/command.ts";
import { isReady } from "../lib/agent-pod.ts";
import { type ComputeNode, damageOf, findComputeNode, isCalledOff, noMoves, noted } from "../lib/compute-node.ts";
import { approvalWanted, forget, lateFor, serves, settling } from "../lib/dependent.ts";
import { unsettled } from "../lib/evacuation.ts";
import {
  changing,
  enabledReport,
  isDisabledByUs,
  isForcedDownByUs,
  lookAtHost,
  otherCompute,
  reasonFor,
  reports,
} from "../lib/host.ts";
import { NovaComputeNode } from "../lib/kinds.ts";
import { abandonKey, approvalKey, conditions, fencedKey, recordKey } from "../lib/names.ts";
import { confirmMove } from "../lib/next-call.ts";
import { unlessRefused } from "../lib/openstack/answer.ts";
import { openstack } from "../lib/openstack/system.ts";
import { isForced, timeText } from "../lib/outage.ts";
import { mayLook } from "../lib/permissions.ts";
import { type HostFacts, isEvacuation, mayStillMove, ourOpenMoves, unsafeMove } from "../lib/plan.ts";
import { convergedReport, counted, evictedReport, stuckReport } from "../lib/report.ts";
import { type Common, common } from "../lib/settings.ts";
import { isComing, saidByKeepPod, whyWithoutPod } from "../lib/without-pod.ts";

const name = "eviction/enable-compute";

/**
 * A compute node that serves, or whose eviction was called off. `at` says how far OpenStack was asked. `isAsked`: no
 * eviction has begun, a call of the last one may still come, and another rule shows that a person has to agree.
 */
type Facts = { readonly compute: ComputeNode; readonly isAsked?: boolean } & (
  | { readonly at: "left"; readonly message: string }
  | { readonly at: "away"; readonly away: Away }
  | { readonly at: "seen"; readonly host: HostFacts | undefined }
);

export const enableCompute = rule({
  name,
  doc: "Enables a nova-compute that Holdfast has disabled, if the host is to stay after all, and ends open moves.",
  settings: common,
  common,
  systems: { openstack },
  triggers: [on(NovaComputeNode, ["update"])],
  permissions: mayLook(
    { annotations: [recordKey, abandonKey, approvalKey, fencedKey] },
    "to remove the notes and agreements of its eviction when the host is to stay",
    "to see whether the pod of nova-compute is Ready",
  ),
  sweep: [due(NovaComputeNode), resync(NovaComputeNode)],
  steps: { called: silent, waiting: silent, away: silent, settling: silent, other: warning("EvictionStuck") },
  subjects: (hint) => objectsIn(hint, [NovaComputeNode], (object) => !serves(object, name), name),
  look: async (subject, { client, openstack, settings }): Promise<readonly Facts[]> => {
    const [compute] = await findComputeNode(subject, { client, settings });
    if (!compute) return [];
    const { object, record, unmanaged, wanted, isApproved } = compute;
    const damage = damageOf(object);
    if (damage) return [{ compute, at: "left", message: damage }];
    // Without the record nothing else says that an eviction was called off by taking the agreement back.
    const isSettling = readProgress(object, name)?.step === "settling";
    const isAsked = ["clear", "go"].includes(wanted) && !record && !isApproved && isSettling;
    if (unmanaged || !(isCalledOff(compute) || isAsked))
      return [{ compute, at: "left", message: "nova-compute is being evicted, or Holdfast does not manage it." }];
    if (serves(object, name) && !subject.resync) return [{ compute, at: "left", message: "It serves." }];
    const looked = await orAway(() => lookAtHost(openstack.nova, object, settings.evictionAttempts));
    if ("away" in looked) return [{ compute, isAsked, at: "away", ...looked }];
    return [{ compute, isAsked, at: "seen", host: looked.read }];
  },
  decide: (found: readonly Facts[], now, settings) => found.map((facts) => decide(facts, now, settings)),
});

function decide(facts: Facts, now: number, settings: Common): Decision {
  const { object, record, pods, wanted } = facts.compute;
  const at = about(NovaComputeNode, object);
  const again = settings.evictionLookAgain;
  const { isAsked = false } = facts;
  const until = isAsked ? Date.parse(readProgress(object, name)?.next ?? "") || 0 : 0;
  const next = Math.max(now + again, until);
  const stepOf = (name: string) => ({ name: isAsked ? "settling" : name });
  const show = (wanted: readonly WantedCondition[]) => conditionWrites(NovaComputeNode, object, wanted, now);
  const isSaid = isAsked || saidByKeepPod(facts.compute) !== undefined;
  const missing = whyWithoutPod(facts.compute);
  const dependsOn = (message: string) => (isSaid ? [] : [convergedReport("Dependency", message)]);
  const wait = (message: string, more: readonly WantedCondition[] = []) =>
    at.write(message, show([...dependsOn(message), ...more]), { step: stepOf("waiting"), next });
  if (facts.at === "left") return at.leave(facts.message);
  // The due time stays: once it has passed, each tick of the sweep looks again.
  if (facts.at === "away" && isAsked) return at.write(facts.away.message, [], { progress: "unchanged" });
  if (facts.at === "away") {
    const away = waitsFor(facts.away, "The NovaComputeNode", readProgress(object, name), now, again);
    return at.write(away.message, show(dependsOn(away.message)), { step: away.step, next: away.next });
  }
  const { host } = facts;
  const starting = isComing(facts.compute) ? missing : undefined;
  // Its pod is not created either: nova-compute would delete what it has of servers that are being evacuated.
  if (!host && record?.hard && pods.length === 0) return wait(unknownThoughForced(facts.compute));
  // Where no pod may be, nova-compute cannot have come to Nova; a label that changes is an event.
  if (!host && (isAsked || (pods.length === 0 && !starting))) return at.leave("Its pod is not on the Node yet.");
  if (!host)
    return wait(
      starting ?? "nova-compute has not reported to Nova yet. If this takes long, look at the log of its pod.",
    );
  const { service } = host;
  // Nothing else shows whether servers are being evacuated, of which nova-compute deletes what it has when it starts.
  const other = record?.hard && otherCompute(object, host);
  if (other) return at.write(other, show(dependsOn(other)), { step: { name: "other" }, next });
  const seen = enabledReport(service);
  const waitForPod = (message: string) => wait(missing ? `${message} ${missing}` : message, [seen]);
  const call = (message: string, command: Command) =>
    at.call(message, { step: stepOf("called"), writes: show([seen]), command, next });
  if (isForcedDownByUs(service, object) || isForced({ compute: facts.compute, host })) {
    const held = unsettled(host, record);
    if (held) return wait(held, [seen]);
    if (!pods.some(isReady)) return waitForPod("nova-compute may serve again when its pod is Ready on its Node.");
    const left = host.migrations.filter((move) => isEvacuation(move) && move.status === "done").length;
    if (left > 0)
      return wait(
        `Nova holds nova-compute of ${service.host} down until it has started again and removed its copies of ` +
          `${counted(left, "evacuated server")}. Their migrations in Nova, now done, are completed then.`,
        [seen],
      );
    const message = `Holdfast had forced nova-compute of ${service.host} down in Nova, and ends this now.`;
    // What stays disabled is no longer said to be forced down.
    const isOurs = wanted === "disable" && isForcedDownByUs(service, object);
    return call(message, endForcedDown({ service, ...(isOurs ? { reason: reasonFor(object) } : {}) }));
  }
  if (wanted !== "disable" && isDisabledByUs(service, object)) {
    if (!pods.some(isReady)) return waitForPod("nova-compute is enabled again when its pod is Ready.");
    if (service.state !== "up") return wait("nova-compute is enabled again when it reports to Nova.", [seen]);
    const message = `Holdfast had disabled nova-compute of ${service.host}, and enables it again now.`;
    return call(message, enableService({ service }));
  }
  if (isAsked)
    return at.write("It is evicted when you agree to it.", show([seen]), until > now ? { progress: "unchanged" } : {});
  const open = record ? ourOpenMoves(host, record) : [];
  const finished = open.find((move) => move.status === "finished" && !host.silent.includes(move.target ?? ""));
  const message = `Holdfast waits for ${counted(open.length, "move")} that began before the eviction was called off.`;
  if (finished && service.state === "up") return call(message, confirmMove({ server: finished.server }));
  const silent = open.find((move) => move.status === "finished" && host.silent.includes(move.target ?? ""));
  if (silent) return wait(`${message} Server ${silent.server}: ${unsafeMove(silent, host)}`, [seen]);
  if (open.length > 0) return wait(message, [seen]);
  const coming = record ? mayStillMove(host, record) : 0;
  if (coming > 0) return wait(`Nova may still move ${counted(coming, "server")}: Holdfast has asked for it.`, [seen]);
  if (starting) return wait(starting, [seen]);
  const options = [service.isEnabled ? "" : "--enable ", service.isForcedDown ? "--up " : ""].join("");
  const converged = convergedReport(
    "Success",
    service.isEnabled && !service.isForcedDown
      ? "nova-compute serves."
      : `nova-compute is ${service.isEnabled ? "forced down" : "disabled"}, but not by Holdfast. To end this while ` +
          "no evacuation from the host is open, run `openstack --os-compute-api-version 2.53 compute service set " +
          `${options}${service.host} nova-compute\`.`,
  );
  if (record?.refused !== undefined) {
    const { refused: _, ...rest } = record;
    const writes = [noted(facts.compute, { ...rest, hard: timeText(host.at) })];
    return at.write("Holdfast may have asked Nova a moment ago to force nova-compute down.", writes);
  }
  // It was never seen to be forced down: a late call may still do so, and without the record nothing ends it.
  if (record?.hard !== undefined && !record.forced && host.at - Date.parse(record.hard) < lateFor)
    return wait("Nova may still carry out a call to force nova-compute down. Holdfast then reverts this.", [seen]);
  const wasDown = conditionOf(object, conditions.hostDown) !== undefined;
  const back = [
    ...[seen, evictedReport("NotEvicting"), ...stuckReport([], object)],
    ...(wasDown ? [reports(service)] : []),
  ];
  if (wanted === "disable" && record) {
    // It stays disabled, which is the business of disable-compute; to clear it takes another agreement.
    const { v, uid, begun } = record;
    const used = object.metadata.annotations?.[approvalKey] === "true" ? [approvalKey] : [];
    const said = Object.fromEntries([abandonKey, fencedKey, ...used].map((key) => [key, null]));
    const kept = { v, uid, begun, service: service.id, baseline: noMoves };
    const writes = [noted(facts.compute, kept, said), ...show(back)];
    return at.write("The host keeps its servers, and gets no new ones.", writes);
  }
  const over = [recordKey, abandonKey, fencedKey, ...(wanted === "stay" ? [approvalKey] : [])];
  // Without the record, keep-pod says why the pod is not there.
  const isWithoutPod = wanted === "stay" && missing !== undefined;
  const writes = [...forget(object, over), ...show([...(isWithoutPod ? [] : [converged]), ...back])];
  return at.write(converged.message, writes, settling(object, name, now));
}

const unknownThoughForced = (compute: ComputeNode) =>
  `Nova no longer knows nova-compute of ${compute.object.metadata.name}, which Holdfast had forced down. So Holdfast ` +
  "does not know whether servers are still being evacuated from the host, and does not create its pod. Check that " +
  `the Nova cell of the host answers. ${
    compute.wanted === "go" && !compute.isApproved
      ? approvalWanted(compute, "the eviction goes on")
      : "If nova-compute was deleted in Nova, delete the NovaComputeNode, and create it again when it is gone."
  }`;

const enableService = changing("enable nova-compute of a host", (nova, { service }) => nova.enable(service.id));

/** Refused while evacuations have yet to be settled by nova-compute's start: the next look sees them. */
const endForcedDown = changing("end that nova-compute of a host is forced down", (nova, { service, reason }) =>
  unlessRefused(nova.endForcedDown(service.id, reason), 400),
);
