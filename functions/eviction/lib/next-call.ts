import type { StepContext } from "../../../shared/chain/chain-rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import type { Command } from "../../../shared/system/command.ts";
import { confirmMove, evacuateServer, moveCold, moveLive, setError, stopServer } from "./commands.ts";
import type { ComputeNode } from "./compute-node.ts";
import { type EvictionFacts, planOf } from "./eviction-facts.ts";
import { newestOf } from "./host.ts";
import { NovaComputeNode } from "./kinds.ts";
import { retryKey } from "./names.ts";
import { timeText } from "./outage.ts";
import { callsOf, type HostFacts, type Move, ourOpenMoves } from "./plan.ts";
import { type EvictionRecord, recordKey } from "./record.ts";
import type { Common } from "./settings.ts";

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

/** The record with changes; and other annotations, null removes. */
export const noted = (
  { object }: Pick<ComputeNode, "object">,
  record: EvictionRecord,
  more: Record<string, null> = {},
): Write => annotate(NovaComputeNode, object, { [recordKey]: JSON.stringify(record), ...more });

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
