import { minute } from "../../../shared/duration.ts";
import type { Call, EvictionRecord } from "./compute-node.ts";
import { lateFor } from "./dependent.ts";
import { retrying } from "./names.ts";
import type { Migration, Server } from "./openstack/nova.ts";
import type { OutageFacts } from "./outage.ts";
import {
  callsOf,
  deletionOf,
  failuresOf,
  type HostFacts,
  ignoredBy,
  isBeingDeleted,
  isEvacuated,
  isEvacuation,
  isOpen,
  isResting,
  leftOf,
  messageFor,
  openOf,
  type Plan,
  passingFor,
  readyOf,
  serversOf,
  stuckFor,
  stuckOf,
  type Verdict,
} from "./plan.ts";
import { counted } from "./report.ts";
import type { Common } from "./settings.ts";

/** What a server was before its evacuation, where Nova may not have brought it back so. */
const toRestore = { ERROR: "set-error", SHUTOFF: "stop" } as const;

/**
 * Evacuated servers that are not yet known to be what they were, with what brings them there. One that rests in any
 * state but ACTIVE is over, and so is one that has changed since its evacuation: it is what it was, or its owner or a
 * failure has made it so, which is not undone.
 */
export function unrestored(
  { evacuated }: OutageFacts,
  { migrations }: HostFacts,
  { was = {}, called }: EvictionRecord,
) {
  return evacuated.flatMap((server) => {
    const before = was[server.id] ?? "";
    if (!(before in toRestore)) return [];
    const evacuations = migrations.filter((move) => move.server === server.id && isEvacuation(move));
    const rests = !evacuations.some(isOpen) && server.task === undefined;
    const done = evacuations.findLast(({ status }) => status === "done")?.updated ?? Number.NaN;
    const asked = Date.parse(called?.[server.id]?.at ?? "") || 0;
    const isAsEvacuated = server.updated < Math.max(done, asked) + minute;
    const mayAct = rests && server.status === "ACTIVE" && isAsEvacuated;
    const action = mayAct ? toRestore[before as keyof typeof toRestore] : undefined;
    return [{ server, before, isOver: rests && !mayAct, do: action }];
  });
}

/** The record without servers that are over, and what is said of these: what their owners do with them later stays. */
export function withoutRestored(outage: OutageFacts, host: HostFacts, record: EvictionRecord) {
  const over = unrestored(outage, host, record).filter(({ isOver }) => isOver);
  if (over.length === 0) return undefined;
  const ids = over.map(({ server }) => server.id);
  const was = Object.fromEntries(Object.entries(record.was ?? {}).filter(([id]) => !ids.includes(id)));
  const inError = over.filter(({ server, before }) => server.status === "ERROR" && before !== "ERROR");
  const sentences = [...new Set([...inError, ...over])]
    .slice(0, 3)
    .map(({ server: { id, status }, before }) =>
      status === before
        ? `Server ${id} is ${status}, as it was before its evacuation.`
        : `Server ${id} was ${before} before its evacuation, and is ${status} now. Holdfast leaves it so.`,
    );
  return { record: { ...record, was }, message: sentences.join(" "), isInError: inError.length > 0 };
}

/** Why nova-compute of a host must not start, as a sentence: it deletes what it has of servers that are evacuated. */
export function unsettled({ migrations, at: now }: HostFacts, record: EvictionRecord | undefined): string | undefined {
  const open = migrations.filter((move) => isEvacuation(move) && isOpen(move)).length;
  const coming = Object.keys(record?.called ?? {}).filter(
    (server) => record && callsOf(server, migrations, record, now, lateFor).mayCome,
  ).length;
  const held = "Holdfast lets nova-compute start again only";
  if (open + coming > 0)
    return `${held} when the evacuations from its host are complete: ${open} open, ${coming} may still begin.`;
  return now - Date.parse(record?.shutdown ?? "") < lateFor
    ? `${held} ten minutes after Ironic was asked to turn the host off, because Ironic may still do it.`
    : undefined;
}

/**
 * What is to be done about the servers of a host that is proven off and forced down in Nova. A server is evacuated only
 * where its disks are volumes, or Nova can check that they are there; where no evacuation of it is open or may still
 * come; and where it cannot run on another host already.
 */
export function evacuationFor(
  host: HostFacts,
  outage: OutageFacts,
  record: EvictionRecord,
  settings: Pick<Common, "evictionMoves" | "evictionAttempts" | "evictionSharedStorage">,
): Plan {
  const { servers, migrations, service, at: now } = host;
  const verdicts = servers.map((server) => ({ server: server.id, ...verdictOn(server, host, record, settings) }));
  const here = new Set(servers.map(({ id }) => id));
  const astray = openOf(host.migrations).filter((move) => !isEvacuation(move) && !here.has(move.server));
  const restored = unrestored(outage, host, record).filter(({ isOver }) => !isOver);
  const hanging = restored.filter(({ server, do: action }) => !action && now - server.updated > passingFor);
  const calls = (id: string) => callsOf(id, migrations, record, now);
  const refused = restored.filter(
    ({ server, do: action }) => action && calls(server.id).refused >= settings.evictionAttempts,
  );
  const stuck = [
    ...stuckOf(verdicts),
    ...astray.map(({ server, type, target }) => ({
      server,
      message:
        `The server's ${type} to ${target} is not over. Nova cannot confirm or revert it while nova-compute of ` +
        `${service.host} is down. Start nova-compute of ${service.host} again, or delete the server.`,
    })),
    ...hanging.map(({ server: { id, status, task, host }, before }) => ({
      server: id,
      message:
        `It was ${before} before its evacuation, and has been ${status}${task ? ` (${task})` : ""} on ` +
        `${host ?? "no host"} for more than half an hour. Look at it in Nova: \`openstack server show ${id}\`.`,
    })),
    ...refused.map(({ server: { id, status }, before }) => ({
      server: id,
      message:
        `It was ${before} before its evacuation, and is ${status}. Nova has refused to set it back to ${before} ` +
        `${counted(calls(id).refused, "time")}: see the Event OpenStackRefused. Do it yourself: \`openstack server ` +
        `${before === "ERROR" ? "set --state error" : "stop"} ${id}\`.`,
    })),
  ];
  const ready = readyOf(verdicts, record);
  const moving = verdicts.filter(({ is }) => is === "moving").length;
  const asked = verdicts.filter(({ is }) => is !== "stuck").map(({ server }) => server);
  const mayAsk = ({ mayCome, isResting }: ReturnType<typeof calls>) => !mayCome && !isResting;
  const back = restored.find((one) => one.do && !refused.includes(one) && mayAsk(calls(one.server.id)));
  const [first] = moving < settings.evictionMoves ? ready : [];
  const coming = host.arrivals.filter(({ server }) => !here.has(server)).map(({ server }) => server);
  const isGone = (move: Migration) =>
    move.id > record.baseline && isEvacuation(move) && isEvacuated(move) && !here.has(move.server);
  const counters = {
    migrated: serversOf(migrations.filter(isGone)).size,
    migratable: ready.length,
    pending:
      verdicts.filter(({ is }) => is === "pending").length +
      restored.length +
      coming.length -
      hanging.length -
      refused.length,
    in_progress: moving,
    unhandleable: stuck.length,
    unhandleable_agent: false,
  };
  const left = leftOf(counters);
  const begin = `Host ${service.host} is off. Servers to recover: ${left}. Nova is starting ${moving} elsewhere now.`;
  const { ignored, sentences } = ignoredBy(host, asked, record, lateFor);
  const isUnanswered = ([id, call]: [string, Call]) =>
    call.evacuation === "asked" &&
    callsOf(id, migrations, record, now, lateFor).mayCome &&
    host.at - Date.parse(call.at) > answersWithin;
  const unanswered = Object.entries(record.called ?? {}).filter(isUnanswered).length;
  const waits = unanswered > 0 ? [`OpenStack has not yet answered the call to evacuate ${unanswered} of them.`] : [];
  const next = back?.do ? { do: back.do, server: back.server.id } : first && { do: first.is, server: first.server };
  return {
    counters,
    next,
    stuck,
    ignored,
    message: [messageFor({ counters, stuck }, begin, service.host, coming), ...waits, ...sentences].join(" "),
  };
}

function verdictOn(
  server: Server,
  { object, migrations, at: now }: HostFacts,
  record: EvictionRecord,
  { evictionAttempts, evictionSharedStorage }: Pick<Common, "evictionAttempts" | "evictionSharedStorage">,
): Verdict<"evacuate"> {
  if (isBeingDeleted(server))
    return deletionOf(server, now, `Run \`openstack server delete ${server.id}\` again: Nova then deletes it at once.`);
  const { id, status, fault, hasLocalDisk } = server;
  const its = migrations.filter((move) => move.server === id).toSorted((a, b) => b.id - a.id);
  const evacuations = its.filter(isEvacuation);
  const open = evacuations.find(isOpen);
  // Nova lists it on the dead host for a moment longer.
  const done = evacuations.find((move) => isEvacuated(move) && (move.status === "done" || move.id > record.baseline));
  const last = open ?? done;
  if (last && now - last.updated < (open ? passingFor : minute)) return { is: "moving" };
  if (last)
    return stuckFor(
      `Nova shows the evacuation of this server as ${last.status}, and lists it on this host, as ${status}. Do not ` +
        "evacuate it again: a second evacuation damages it. Look at it in Nova: `openstack server show " +
        `${id}\`. When its task_state is None, reset its state: \`openstack server set --state active ${id}\`.`,
    );
  // Nova shows the migration as soon as a late call is carried out. A second one ruins the server.
  const calls = callsOf(id, migrations, record, now, lateFor);
  if (calls.mayCome) return { is: "moving" };
  const moving = openOf(its)[0] ?? (["MIGRATING", "RESIZE"].includes(status) ? its[0] : undefined);
  if (moving)
    return stuckFor(
      `It was being moved to ${moving.target ?? "another host"} when its host went down, and may run there: look ` +
        `there first. Only if it does not run there, start it elsewhere yourself: ${byHand(id)}.`,
    );
  if (!evacuable.includes(status))
    return stuckFor(
      `It is ${status}, which Nova does not evacuate. If you accept the loss of its memory, run \`openstack server ` +
        `set --state error ${id}\`: Nova then evacuates it. Then run \`openstack server set --state active ${id}\`.`,
    );
  if (hasLocalDisk && evictionSharedStorage !== "true")
    return stuckFor(
      "It has a disk on the dead host. Nova would create it again from its image, and all data on this disk would be " +
        `lost. Repair the host, or accept the loss and run ${byHand(id)}. If all hosts share this storage, set ` +
        "EVICTION_SHARED_STORAGE to true instead.",
    );
  const failures = failuresOf(id, evacuations, record);
  if (failures.length + calls.refused >= evictionAttempts)
    return stuckFor(
      `Nova has failed or refused to evacuate it ${counted(failures.length + calls.refused, "time")}: ` +
        `${calls.refused > 0 ? "see the Event OpenStackRefused" : (fault ?? "Nova gives no reason")}. ` +
        `Remove the cause, and run ${retrying(object)} to try again.`,
    );
  return { is: calls.isResting || isResting(failures, now) ? "pending" : "evacuate" };
}

/** Milliseconds in which Nova answers, unless it is away. */
const answersWithin = 30_000;
/** As long as its host is off nothing but an evacuation gets a server out of the passing ones. */
const evacuable = ["ACTIVE", "SHUTOFF", "ERROR", "REBOOT", "HARD_REBOOT", "PASSWORD"];
const byHand = (id: string) => `\`openstack --os-compute-api-version 2.53 server evacuate ${id}\``;
