import type { StepContext } from "../../../shared/chain/chain-rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Command } from "../../../shared/system/command.ts";
import { command } from "../../../shared/system/command.ts";
import { type ComputeNode, noted } from "./compute-node.ts";
import { type EvictionFacts, planOf } from "./eviction.ts";
import { newestOf } from "./host.ts";
import { retryKey } from "./names.ts";
import { OpenStackRefusal, unlessRefused } from "./openstack/answer.ts";
import type { Nova } from "./openstack/nova.ts";
import { openstack } from "./openstack/system.ts";
import { timeText } from "./outage.ts";
import { callsOf, type HostFacts, type Move, ourOpenMoves } from "./plan.ts";
import type { Common } from "./settings.ts";

interface Named {
  readonly server: string;
}
type OnServer = (nova: Nova, server: string) => Promise<unknown>;

const onServer = (doc: string, act: OnServer) =>
  command(openstack, doc, async ({ nova }, { server }: Named) => void (await act(nova, server)));

interface Evacuated extends Named {
  readonly host: string;
  /** The newest migration of the host when this was decided. */
  readonly after: number;
  readonly isShared: boolean;
}

/**
 * Looks once more before it asks: while an instance is held up between its look and this, another one may have asked,
 * and a second evacuation ruins the server.
 */
const evacuateServer = command(
  openstack,
  "start a server of a dead host elsewhere",
  async ({ nova }, { server, host, after, isShared }: Evacuated) => {
    const seen = await nova.server(server);
    const migrations = await nova.migrations(host);
    if (seen?.host !== host || migrations.some((move) => move.server === server && move.id > after)) return;
    await nova.evacuate(server, isShared);
  },
);

/** Brings an evacuated server back to what it was; one that is something else already is left alone. */
const restoring = (doc: string, restore: OnServer) =>
  onServer(doc, async (nova, server) => {
    const seen = await nova.server(server);
    if (seen?.status === "ACTIVE" && seen.task === undefined) await restore(nova, server);
  });
const setError = restoring("say that a server is in ERROR, as it was", (nova, id) => nova.setError(id));
const stopServer = restoring("stop a server, as it was", (nova, id) => nova.stop(id));

const underWay = ["MIGRATING", "RESIZE", "VERIFY_RESIZE"];

/** A move that Nova refuses because the server is being moved already has not failed: the next look sees it. */
const moving = (doc: string, move: OnServer) =>
  onServer(doc, (nova, server) =>
    move(nova, server).catch(async (error) => {
      if (!(error instanceof OpenStackRefusal)) throw error;
      const seen = await nova.server(server);
      if (seen && !underWay.includes(seen.status) && seen.task === undefined) throw error;
    }),
  );
const moveLive = moving("move a server while it runs", (nova, id) => nova.liveMigrate(id));
const moveCold = moving("move a server that is off", (nova, id) => nova.coldMigrate(id));

/** A confirmation that comes too early, or twice, is refused in three ways: all mean to look again. */
export const confirmMove = onServer("confirm a server's move", (nova, id) => unlessRefused(nova.confirmMove(id)));

const words: Readonly<Record<Move, string>> = {
  live: "moved while it runs",
  cold: "moved while it is off",
  confirm: "confirmed on its new host",
  evacuate: "started on another host",
  "set-error": "brought back to ERROR, as it was",
  stop: "stopped, as it was",
};

function commandFor({ do: what, server }: { do: Move; server: string }, host: HostFacts, settings: Common): Command {
  const seen = host.servers.find(({ id }) => id === server);
  const isShared = settings.evictionSharedStorage === "true" && (seen?.hasLocalDisk ?? true);
  switch (what) {
    case "live":
      return moveLive({ server });
    case "cold":
      return moveCold({ server });
    case "confirm":
      return confirmMove({ server });
    case "evacuate":
      return evacuateServer({ server, host: host.service.host, after: newestOf(host), isShared });
    case "set-error":
      return setError({ server });
    case "stop":
      return stopServer({ server });
  }
}

/**
 * What Nova is told next about a server, with the intent in the record; or that a person wants those tried again that
 * were given up. `undefined`: nothing.
 */
export function nextCall(context: StepContext<ComputeNode, EvictionFacts>): Decision | undefined {
  const { object, facts, record, next, about, shows, act } = context;
  if (facts.at !== "seen" || !record) return undefined;
  const { host } = facts;
  const calls = Object.entries(record.called ?? {});
  const mayCome = ([server]: (typeof calls)[number]) => callsOf(server, host.migrations, record, host.at).mayCome;
  if (object.metadata.annotations?.[retryKey] !== undefined) {
    // What may still be carried out is waited for all the same.
    const called = Object.fromEntries(calls.filter(mayCome).map(([id, { at, after }]) => [id, { at, after }]));
    const again = noted(context, { ...record, retried: newestOf(host), called }, { [retryKey]: null });
    return act("A person has asked to try again.", [again]);
  }
  const { next: move } = planOf(facts);
  if (!move) return undefined;
  const concerned = new Set([
    ...host.servers.map(({ id }) => id),
    ...ourOpenMoves(host, record).map((one) => one.server),
  ]);
  const inVain = (server: string) => callsOf(server, host.migrations, record, host.at).inVain;
  const counts = (call: (typeof calls)[number]) => mayCome(call) || (concerned.has(call[0]) && inVain(call[0]) > 0);
  const before = inVain(move.server);
  const call = { at: timeText(host.at), after: newestOf(host), ...(before > 0 ? { inVain: before } : {}) };
  const called = { ...Object.fromEntries(calls.filter(counts)), [move.server]: call };
  const status = host.servers.find(({ id }) => id === move.server)?.status;
  const was = move.do === "evacuate" && status ? { was: { [move.server]: status, ...record.was } } : {};
  // The record is the intent: of two instances that come so far, one is refused, because the other has written it.
  return about.call(`Server ${move.server} is being ${words[move.do]}.`, {
    step: { name: "called" },
    writes: [noted(context, { ...record, called, ...was }), ...shows()],
    command: commandFor(move, host, facts.settings),
    next,
  });
}
