import type { StepContext } from "../../../shared/chain/chain-rule.ts";
import { Contended } from "../../../shared/contended.ts";
import type { Decision } from "../../../shared/decision.ts";
import { type Command, command, sendingFirst } from "../../../shared/system/command.ts";
import { type ComputeNode, noted, replaceRecord } from "./compute-node.ts";
import { lateFor } from "./dependent.ts";
import type { EvictionFacts } from "./eviction.ts";
import { newestOf } from "./host.ts";
import { retryKey } from "./names.ts";
import { OpenStackRefusal, unlessRefused } from "./openstack/answer.ts";
import type { Nova } from "./openstack/nova.ts";
import { type OpenStack, openstack } from "./openstack/system.ts";
import { stillNotReady, timeText } from "./outage.ts";
import { callsOf, coldIn, type Move, notSettled, ourOpenMoves } from "./plan.ts";

interface Named {
  readonly server: string;
}
type OnServer = (nova: Nova, server: string) => Promise<unknown>;

const onServer = (doc: string, act: OnServer, before?: OnServer) =>
  command(openstack, doc, sendOn(act), before && sendOn(before));
const sendOn =
  (act: OnServer) =>
  async ({ nova }: OpenStack, { server }: Named) =>
    void (await sendingFirst(() => act(nova, server)));

/** `after`: the newest migration away from the host when this was decided. */
type Evacuated = Named & { readonly host: string; readonly after: number; readonly isShared: boolean };

const changed = (server: string) => new Contended(`Server ${server} has just changed in Nova: Holdfast left it alone.`);
/** Looks once more before it asks: another instance may have asked meanwhile, and a second one ruins the server. */
const evacuateServer = command(
  openstack,
  "start a server of a dead host elsewhere",
  ({ nova }, { server, isShared }: Evacuated) => sendingFirst(() => nova.evacuate(server, isShared)),
  async ({ nova }, { server, host, after }) => {
    const seen = await nova.server(server);
    const moves = (await nova.migrations(host)).filter(({ source }) => source === host);
    if (seen?.host !== host || moves.some((move) => move.server === server && move.id > after)) throw changed(server);
  },
);

/** Brings an evacuated server back to what it was, if it is as it was looked at. Throws Contended else. */
const restoring = (doc: string, restore: OnServer) =>
  onServer(doc, restore, async (nova, server) => {
    const seen = await nova.server(server);
    if (seen?.status !== "ACTIVE" || seen.task !== undefined) throw changed(server);
  });
const setError = restoring("say that a server is in ERROR, as it was", (nova, id) => nova.setError(id));
const stopServer = restoring("stop a server, as it was", (nova, id) => nova.stop(id));

/** What Nova refuses, but in the states of `isDue`, is being done already: the next look sees it. */
const inState = (doc: string, act: OnServer, isDue: (status: string) => boolean) =>
  onServer(doc, (nova, server) =>
    act(nova, server).catch(async (error) => {
      if (!(error instanceof OpenStackRefusal)) throw error;
      const seen = await nova.server(server);
      if (seen && isDue(seen.status) && seen.task === undefined) throw error;
    }),
  );
const isStill = (status: string) => !notSettled.includes(status);
const moveLive = inState("move a server while it runs", (nova, id) => nova.liveMigrate(id), isStill);
const moveCold = inState("move a server that is off", (nova, id) => nova.coldMigrate(id), isStill);
/** 400: it is being confirmed. */
const confirm: OnServer = (nova, id) => unlessRefused(nova.confirmMove(id), 400);
export const confirmMove = inState("confirm a server's move", confirm, (status) => status === "VERIFY_RESIZE");

/** What is said of a server, and the command where it needs no more than the server's name. */
const moves: Readonly<Record<Move, readonly [words: string, make?: (input: Named) => Command]>> = {
  live: ["moved while it runs", moveLive],
  cold: ["moved while it is off", moveCold],
  confirm: ["confirmed on its new host", confirmMove],
  evacuate: ["started on another host"],
  "set-error": ["brought back to ERROR, as it was", setError],
  stop: ["stopped, as it was", stopServer],
};

/** What Nova is asked next about a server, noted in the record; or that a person wants those given up tried again. */
export function nextCall(context: StepContext<ComputeNode, EvictionFacts>): Decision | undefined {
  const { object, facts, record, act, call: ask } = context;
  if (!facts.seen || !record) return undefined;
  const { host, plan, settings } = facts.seen;
  const calls = Object.entries(record.called ?? {});
  const before = (server: string, late?: number) => callsOf(server, host.migrations, record, host.at, late);
  if (object.metadata.annotations?.[retryKey] !== undefined) {
    // What may still be carried out is waited for all the same, and an evacuation for longest.
    const left = calls.filter(([id]) => before(id, lateFor).mayCome);
    const called = Object.fromEntries(left.map(([id, { since: _, refused: __, denied: ___, ...kept }]) => [id, kept]));
    const calledAgain = record.called ? { called } : {};
    const again = noted(context, { ...record, retried: newestOf(host), ...calledAgain }, { [retryKey]: null });
    return act("A person has asked to try again.", [again]);
  }
  const move = plan.next;
  if (!move) return undefined;
  const concerned = new Set([
    ...host.servers.map(({ id }) => id),
    ...ourOpenMoves(host, record).map((one) => one.server),
    ...Object.keys(record.was ?? {}),
  ]);
  const counts = ([id]: (typeof calls)[number]) => before(id).mayCome || (concerned.has(id) && before(id).since);
  const { since, refused } = before(move.server);
  const isEvacuated = move.do === "evacuate";
  const asked = isEvacuated ? { evacuation: "asked" as const } : {};
  const after = newestOf(host);
  const call = { at: timeText(host.at), after, since, ...(refused > 0 ? { refused } : {}), ...asked };
  const called = { ...Object.fromEntries(calls.filter(counts)), [move.server]: call };
  const server = host.servers.find(({ id }) => id === move.server);
  // Of a host that is up, no late evacuation of a server comes that is moved, and nothing is to be put back.
  const { [move.server]: _, ...rest } = record.was ?? {};
  const was = isEvacuated && server ? { [server.id]: server.status, ...record.was } : facts.suspect ? record.was : rest;
  // The record of an eviction that an earlier release has begun has none, and no id of nova-compute either.
  const knowsCold = record.cold !== undefined || record.called === undefined;
  const cold = Object.fromEntries([...coldIn(host, record), ...(move.do === "cold" ? [[move.server, after]] : [])]);
  const isShared = settings.evictionSharedStorage === "true" && (server?.hasLocalDisk ?? true);
  const written = { service: host.service.id, ...record, called, was, ...(knowsCold ? { cold } : {}) };
  const denial = { ...call, refused: refused + 1, denied: true as const };
  const taken = { ...written, called: { ...called, [move.server]: { ...call, evacuation: "answered" as const } } };
  // Nova has refused it, so that what moves the server next is another's.
  const former = knowsCold ? { cold: Object.fromEntries(coldIn(host, record)) } : {};
  const denied = { ...written, ...former, called: { ...called, [move.server]: denial } };
  const becomes = (to: typeof record) => replaceRecord(context, JSON.stringify(written), to);
  // The record is the intent: of two instances that come so far, one is refused, because the other has written it.
  const [words, make] = moves[move.do];
  const evacuation = { server: move.server, host: host.service.host, after, isShared };
  const command = make?.({ server: move.server }) ?? evacuateServer(evacuation);
  return ask(`Server ${move.server} is being ${words}.`, command, [noted(context, written)], {
    ...(isEvacuated ? { preconditions: stillNotReady(context), answered: becomes(taken) } : {}),
    refused: becomes(denied),
    unsent: becomes(record),
  });
}
