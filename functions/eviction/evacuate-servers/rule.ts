import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { readProgress } from "../../../shared/progress.ts";
import { warning } from "../../../shared/steps.ts";
import { deletePod } from "../lib/agent-pod.ts";
import { noted, replaceRecord } from "../lib/compute-node.ts";
import { withoutRestored } from "../lib/evacuation.ts";
import { eviction, staying } from "../lib/eviction.ts";
import { changing, forcedReasonFor, isDisabledByUs } from "../lib/host.ts";
import { NovaComputeNode } from "../lib/kinds.ts";
import { unschedule } from "../lib/let-go.ts";
import { recordKey, retryKey } from "../lib/names.ts";
import { nextCall } from "../lib/next-call.ts";
import { isNeverDown, stillNotReady, timeText } from "../lib/outage.ts";
import { mayLabelNodes, mayLook, mayWritePods } from "../lib/permissions.ts";
import { freshFor } from "../lib/plan.ts";

const name = "eviction/evacuate-servers";

export const evacuateServers = chainRule(eviction, "evacuate-servers", {
  doc: "Forces down the nova-compute of a host that is off, deletes its pod, and has Nova start its servers elsewhere.",
  permissions: [
    ...mayLook({ annotations: [recordKey, retryKey] }, "to note when its host was forced down, and what is evacuated"),
    mayLabelNodes("to remove the label by which another operator's nova-compute comes"),
    mayWritePods(["delete"], [NovaComputeNode], "to delete the pods of nova-compute on a host that is off"),
  ],
  isElsewhere: isNeverDown,
  act: (context) => {
    const { object, facts, pods, record, now, next, about, shows, act, wait } = context;
    const host = facts.suspect;
    if (!host || !record) return [wait()];
    const { service } = host.host;
    if (!record.hard || !service.isForcedDown) {
      const { forced: _, refused, ...before } = record;
      const message = refused
        ? `Since ${refused}, OpenStack has refused to force nova-compute of ${service.host} down: see the Event ` +
          "OpenStackRefused. Remove the cause. Holdfast asks again with every tick of the sweep."
        : `Host ${service.host} is off: Holdfast has Nova force its nova-compute down.`;
      const step = { name: "called" };
      // While it is refused the due time brings another try, and none is noted: each note comes back as an event.
      const due = refused ? Math.min(Date.parse(readProgress(object, name)?.next ?? "") || next, next) : next;
      if (refused && due > now) return [about.write(message, shows({ message }), { step, next: due })];
      const written = { ...before, hard: timeText(host.host.at) };
      // The reason of others stays: what they have disabled, Holdfast must not enable later.
      const reason = isDisabledByUs(service, object) ? { reason: forcedReasonFor(object) } : {};
      const command = forceDownService({ service, ...reason });
      const writes = [...(refused ? [] : [noted(context, written)]), ...shows({ message })];
      // That Nova has taken a try after a refusal comes back as an event: no due time is near. A refusal is no answer.
      const becomes = (to: typeof record) => replaceRecord(context, JSON.stringify(written), to);
      const end = refused
        ? { answered: replaceRecord(context, object.metadata.annotations?.[recordKey] ?? "", written) }
        : { refused: becomes({ ...written, refused: written.hard }), unsent: becomes(record) };
      const preconditions = stillNotReady(context);
      return [about.call(message, { step, writes, preconditions, command, next: due, ...end })];
    }
    // Its kubelet is off: what it is to end stays for ever. Another operator's pods must not start when it is on.
    // Not before Nova has forced it down: keep-pod would bring it back with each try.
    const gone = object.spec.template ? pods.map((pod) => deletePod(pod, true)) : unschedule(context);
    const it = object.spec.template ? "pods" : "scheduling label";
    if (gone.length > 0) return [act(`The host is off: Holdfast removes the ${it} of nova-compute.`, gone)];
    const left = withoutRestored(host.outage, host.host, record);
    if (left) {
      const writes = [...shows({ message: left.message }), noted(context, left.record)];
      const event = left.isInError ? { event: warning("ServerLeftInError") } : {};
      return [about.write(left.message, writes, { step: { name: "acting" }, next, ...event })];
    }
    const { forced, refused: _, ...unrefused } = record;
    const seen = { at: timeText(host.host.at), reported: timeText(service.reported) };
    if (!forced) return [act("nova-compute is forced down.", [noted(context, { ...unrefused, forced: seen })])];
    // Would it still run, it would report in the meantime, also after a change that a person answers for.
    const changed = forced.reported === seen.reported ? Number.NaN : service.reported;
    if ([Date.parse(forced.at), changed].some((time) => host.host.at - time < freshFor)) return [wait()];
    return [(staying(context).length === 0 && nextCall(context)) || wait()];
  },
});

/** Has Nova take a host for down, so that its servers can be evacuated; its nova-compute must not run meanwhile. */
const forceDownService = changing("force nova-compute of a host down", (nova, { service, reason }) =>
  nova.forceDown(service.id, reason),
);
