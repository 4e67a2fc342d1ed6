import { Contended } from "../../../shared/contended.ts";
import type { WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { command } from "../../../shared/system/command.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { readRecord, startingOver } from "./compute-node.ts";
import { lateFor, mayBeNamed } from "./dependent.ts";
import { conditions, evicting } from "./names.ts";
import { failed } from "./openstack/answer.ts";
import { type ComputeService, isCompute, type Migration, type Nova, type Server } from "./openstack/nova.ts";
import { openstack } from "./openstack/system.ts";
import { failuresOf, type HostFacts, isEmpty, notSettled, openOf } from "./plan.ts";
import { mostNamed } from "./report.ts";
import type { DependentObject } from "./schema.ts";

/**
 * What Nova has of a host; `undefined`: no cell that answers knows its nova-compute. Of servers whose moves have failed
 * so many `attempts` it has the reason. @throws SystemError
 */
export async function lookAtHost(
  nova: Nova,
  object: DependentObject,
  attempts = Number.POSITIVE_INFINITY,
): Promise<HostFacts | undefined> {
  const { name: host } = object.metadata;
  const record = readRecord(object);
  // Read before and after the lists: a cell that was away for one of them, and is back, is seen.
  const before = await nova.service(host);
  const servers = await nova.servers(host);
  const all = await nova.migrations(host);
  const migrations = all.filter(({ source }) => source === host);
  const listed = await nova.now();
  const finished = migrations.flatMap(({ status, target }) => (status === "finished" && target ? [target] : []));
  const silent: string[] = [];
  for (const target of new Set(finished))
    if ((await nova.service(target).catch(unknown))?.state !== "up") silent.push(target);
  const toward = openOf(all).filter(({ source }) => source !== host);
  const past = await Promise.all(toward.map((move) => isOver(nova, move, servers, listed)));
  const arrivals = toward.filter((_, index) => !past[index]);
  const service = await nova.service(host);
  // What was listed while the cell was away proves nothing, and neither does a service that has just come.
  if (before?.id !== service?.id)
    throw failed("unreachable", `The nova-compute of ${host} has just appeared in Nova or disappeared from it.`);
  if (!service) return undefined;
  const given = record ? servers.filter(({ id }) => failuresOf(id, migrations, record).length >= attempts) : [];
  const reasons = given.slice(0, mostNamed).map(async ({ id }) => [id, await nova.lastFailure(id)] as const);
  const failures = Object.fromEntries(await Promise.all(reasons));
  return { object, service, servers, migrations, arrivals, silent, failures, at: await nova.now() };
}

/** Why no call is made to the host of an eviction, as a sentence: it began with another nova-compute. */
export function otherCompute(object: DependentObject, { service }: HostFacts): string | undefined {
  const begun = readRecord(object)?.service;
  if (begun === undefined || begun === service.id) return undefined;
  return (
    `The eviction of ${service.host} began with the nova-compute ${begun}, but Nova now has ${service.id} there. ` +
    "Holdfast changes nothing there, so Nova may put servers on it. If the Secret or the settings OS_* name another " +
    `cloud or region than before, correct them. If nova-compute has registered again, ${startingOver(object)}`
  );
}

/**
 * Whether nothing of a resource can be on its host: the host was evicted before, and is disabled and down, so that it
 * gets no servers any more; or Nova knows no such host, lists no server there, and would name one whose cell is away.
 */
export async function isProvenUnused(
  nova: Nova,
  host: HostFacts | undefined,
  object: DependentObject,
): Promise<boolean> {
  if (host) return isEmpty(host) && !host.service.isEnabled && host.service.state === "down";
  return (
    (await nova.namesLostCells()) &&
    !mayBeNamed((await nova.services()).filter(isCompute), object) &&
    (await nova.servers(object.metadata.name)).length === 0
  );
}

/**
 * Nothing more comes of a move to the host: Nova has not changed it for long, and its server rests on this host, as was
 * listed, or on a third one. Where the host that it came from has died, Nova says for ever that the move runs.
 */
async function isOver(nova: Nova, move: Migration, servers: readonly Server[], at: number): Promise<boolean> {
  if (!(at - move.updated > lateFor)) return false;
  const here = servers.find(({ id }) => id === move.server);
  // That the cell of one server does not answer keeps this move open, and no other.
  const seen = here ?? (await nova.server(move.server).catch(unknown));
  if (!seen?.host || seen.task !== undefined || notSettled.includes(seen.status)) return false;
  return here !== undefined || ![move.source, move.target].includes(seen.host);
}

const unknown = (error: unknown) => (error instanceof SystemError ? undefined : Promise.reject(error));

/** The newest migration away from the host: what an eviction that begins now does, comes after it. */
export const newestOf = ({ migrations }: HostFacts): number => Math.max(0, ...migrations.map(({ id }) => id));

/** The reason with which nova-compute is disabled. */
export const reasonFor = (object: DependentObject): string => `${evicting(object)} (${object.metadata.uid})`;

const forced = ", and has forced it down";
/** The same for one that is forced down with it. */
export const forcedReasonFor = (object: DependentObject): string => `${reasonFor(object)}${forced}`;
/** Whether Holdfast has forced it down, and so may end that. */
export const isForcedDownByUs = (service: ComputeService, object: DependentObject): boolean =>
  service.isForcedDown && isDisabledByUs(service, object) && (service.disabledReason?.endsWith(forced) ?? false);

/** Whether Holdfast has disabled it, and so may enable it again. */
export const isDisabledByUs = ({ isEnabled, disabledReason }: ComputeService, object: DependentObject): boolean =>
  !isEnabled && (disabledReason?.startsWith(`${evicting(object)} `) ?? false);

const comparedKeys = ["id", "isEnabled", "disabledReason", "isForcedDown"] as const;
/** Sends a change of a nova-compute only if it is as it was looked at. @throws Contended otherwise, for another look */
export const changing = <Input extends { readonly service: ComputeService; readonly reason?: string }>(
  doc: string,
  change: (nova: Nova, input: Input) => Promise<unknown>,
) =>
  command(
    openstack,
    doc,
    async ({ nova }, input: Input) => void (await change(nova, input)),
    async ({ nova }, { service }) => {
      const live = await nova.service(service.host);
      if (comparedKeys.some((key) => live?.[key] !== service[key]))
        throw new Contended(`nova-compute of ${service.host} has just changed in Nova: Holdfast left it alone.`);
    },
  );

/** The host is up, or it is not asked whether it is down. */
export function reports({ host, state }: ComputeService): WantedCondition {
  const type = conditions.hostDown;
  const it = `nova-compute of ${host}`;
  if (state === "up") return { type, status: "False", reason: "Reports", message: `${it} reports to Nova.` };
  const message = `${it} does not report to Nova. Its servers are to stay, so Holdfast does nothing.`;
  return { type, status: "Unknown", reason: "NotAsked", message };
}

/** Whether nova-compute gets new servers. */
export function enabledReport({ isEnabled, disabledReason, host }: ComputeService): WantedCondition {
  const type = conditions.enabled;
  if (isEnabled) return { type, status: "True", reason: "Enabled", message: `nova-compute of ${host} is enabled.` };
  const why = disabledReason ? `: ${disabledReason}` : ", without a reason";
  return { type, status: "False", reason: "Disabled", message: `nova-compute of ${host} is disabled${why}.` };
}
