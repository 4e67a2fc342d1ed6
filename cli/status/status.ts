import { shippedBuffer } from "../../functions/platform/lib/kept-event.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Rule } from "../../shared/rule.ts";
import { slug } from "../../shared/rule.ts";
import { readOrNote } from "../cluster/read-or-note.ts";
import type { Finding, Findings } from "../output/finding.ts";
import type { InstalledFunction } from "../rules/installed-functions.ts";
import { type DeadLetters, deadLetters } from "./dead-letters.ts";
import { type SystemState, stateOf, systemsOf } from "./functions.ts";
import { sourcesOf } from "./sources.ts";
import { type SweepState, sweepState } from "./sweep-state.ts";
import { findingsAbout, type WaitingObject, waitingObjects } from "./waiting-objects.ts";

/** How Holdfast fares on a cluster. What could not be read is absent, and named among the gaps. */
export interface Status extends Findings {
  readonly namespace: string;
  readonly systems?: readonly SystemState[];
  readonly sources?: Awaited<ReturnType<typeof sourcesOf>>["sources"];
  readonly sweep?: SweepState;
  readonly deadLettered?: DeadLetters;
  readonly waiting?: readonly WaitingObject[];
}

const notInstalled = (namespace: string) =>
  `No function of Holdfast was found in namespace ${namespace}. Is it in another one? Give --install-namespace. ` +
  "If it was deleted, claims that are deleted stay in Terminating until you install Holdfast again. Look first at " +
  "the kept volumes whose time is over, which are reclaimed soon after that: docs/while-it-is-down.md has the command.";

/** Looks at all of Holdfast on a cluster, and writes nothing. @throws ApiError */
export async function statusOf(
  client: Client,
  namespace: string,
  functions: ReadonlyMap<string, InstalledFunction> | undefined,
  rules: readonly Rule[],
  now: number,
  console?: string,
): Promise<Status> {
  const gaps: string[] = [];
  const findings: Finding[] = [];
  const take = <T extends { findings: readonly Finding[] }>(part: T | undefined): T | undefined => {
    findings.push(...(part?.findings ?? []));
    return part;
  };
  if (!functions)
    gaps.push(
      `Which functions are installed could not be read: ask for the right to list Services, Deployments and ` +
        `ConfigMaps in namespace ${namespace}.`,
    );
  else if (functions.size === 0) return { namespace, systems: [], findings, gaps: [notInstalled(namespace)] };
  const states = functions && [...functions.values()].map((one) => stateOf(one, rules));
  const systems = take(states && systemsOf(states, rules, namespace))?.systems;
  const sources = take(functions && (await sourcesOf(client, namespace, functions, rules, gaps)))?.sources;
  const setting = (name: string, key: string) => functions?.get(name)?.environment[key];
  const table = setting("platform-sweep", "TABLE") || "holdfast-sweep";
  const swept = take(
    await readOrNote(gaps, "When the last sweep was", () => sweepState(client, namespace, table, now)),
  );
  const sweep = swept?.sweep;
  const buffer = setting("platform-dead-letter", "CONFIG_MAP") || shippedBuffer;
  const deadLettered = take(
    await readOrNote(gaps, "Which events were dead-lettered", () =>
      deadLetters(client, namespace, buffer, now, swept?.status),
    ),
  )?.deadLettered;
  const asked = functions ? rules.filter(({ name }) => functions.has(slug(name))) : rules;
  const before = gaps.length;
  const waiting = await waitingObjects(client, asked, gaps, { installNamespace: namespace, console });
  findings.push(...findingsAbout(waiting, sweep ?? { period: Number.POSITIVE_INFINITY }, now, namespace));
  return {
    namespace,
    ...(systems ? { systems } : {}),
    ...(sources ? { sources } : {}),
    ...(sweep ? { sweep } : {}),
    ...(deadLettered ? { deadLettered } : {}),
    ...(waiting.length > 0 || gaps.length === before ? { waiting } : {}),
    findings,
    gaps,
  };
}
