import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import { silent } from "../../../shared/steps.ts";
import { command } from "../../../shared/system/command.ts";
import { deletePod, deletesAgents } from "../lib/agent-pod.ts";
import { noted } from "../lib/compute-node.ts";
import { withoutRestored } from "../lib/evacuation.ts";
import { eviction, staying, suspectedIn } from "../lib/eviction.ts";
import { forcedReasonFor, isDisabledByUs } from "../lib/host.ts";
import { unschedule } from "../lib/let-go.ts";
import { recordKey, retryKey } from "../lib/names.ts";
import { nextCall } from "../lib/next-call.ts";
import { openstack } from "../lib/openstack/system.ts";
import { isNeverDown, timeText } from "../lib/outage.ts";
import { mayLabelNodes, mayLook, mayRecordEvents } from "../lib/permissions.ts";
import { freshFor } from "../lib/plan.ts";

export const evacuateServers = chainRule(eviction, "evacuate-servers", {
  doc: "Forces down the nova-compute of a host that is off, deletes its pod, and has Nova start its servers elsewhere.",
  permissions: [
    ...mayLook({ annotations: [recordKey, retryKey] }),
    mayLabelNodes,
    { resource: Pod, verbs: ["delete"], bounds: [deletesAgents] },
    mayRecordEvents,
  ],
  steps: { called: silent },
  isElsewhere: isNeverDown,
  act: (context) => {
    const { object, facts, pods, record, now, next, about, shows, act, wait } = context;
    const host = suspectedIn(facts);
    if (!host || !record) return [wait()];
    const { service } = host.host;
    // Its kubelet is off, too: what it is to end stays for ever. Another operator's pods must not start when it is on.
    const gone = object.spec.template ? pods.map((pod) => deletePod(pod, true)) : unschedule(context);
    if (!record.hard || !service.isForcedDown) {
      const message = `Host ${service.host} is off: its nova-compute is forced down in Nova.`;
      // The reason of others stays: what they have disabled, Holdfast must not enable later.
      const reason = isDisabledByUs(service, object) ? { reason: forcedReasonFor(object) } : {};
      const command = forceDownService({ service: service.id, ...reason });
      const { forced: _, ...before } = record;
      const writes = [noted(context, { ...before, hard: new Date(now).toISOString() }), ...shows({ message }), ...gone];
      return [about.call(message, { step: { name: "called" }, writes, command, next })];
    }
    const removed = object.spec.template ? "pods" : "scheduling label";
    if (gone.length > 0) return [act(`The host is off: Holdfast removes the ${removed} of nova-compute.`, gone)];
    const left = withoutRestored(host.outage, host.host, record);
    if (left) return [act("A server is what it was before its evacuation.", [noted(context, left)])];
    const { forced } = record;
    const seen = { at: timeText(host.host.at), reported: timeText(service.reported) };
    if (!forced) return [act("nova-compute is forced down.", [noted(context, { ...record, forced: seen })])];
    // Would it still run, it would report in the meantime, also after a change that a person answers for.
    const changed = forced.reported === seen.reported ? Number.NaN : service.reported;
    if ([Date.parse(forced.at), changed].some((time) => host.host.at - time < freshFor)) return [wait()];
    return [(staying(context).length === 0 && nextCall(context)) || wait()];
  },
});

/** Has Nova take a host for down, so that its servers can be evacuated; its nova-compute must not run meanwhile. */
const forceDownService = command(
  openstack,
  "force nova-compute of a host down",
  ({ nova }, { service, reason }: { readonly service: string; readonly reason?: string }) =>
    nova.forceDown(service, reason),
);
