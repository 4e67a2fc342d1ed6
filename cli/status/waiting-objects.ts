import { namespaceLabel, noting, offerKey } from "../../functions/undelete/lib/note.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { readProgress, waitingLabel } from "../../shared/progress.ts";
import { progressNameOf, type Rule } from "../../shared/rule.ts";
import { listServed } from "../../shared/uninstall/list-served.ts";
import { elsewhere } from "../cluster/cluster-options.ts";
import { type ConsoleOptions, linkTo } from "../console/console-link.ts";
import type { Finding } from "../output/finding.ts";
import { when } from "../output/time.ts";
import { isOverdue, type SweepState } from "./sweep-state.ts";

/** An object that waits for something, as its annotation says. */
export interface WaitingObject {
  readonly object: string;
  readonly rule: string;
  readonly step: string;
  /** RFC 3339. */
  readonly since: string;
  readonly because: string;
  /** RFC 3339: when the rule looks again. */
  readonly next?: string;
  /** It does not go on without a person. */
  readonly isStuck: boolean;
  /** It is a volume that is kept until `next`, and its claim's namespace of this name is gone, or another one. */
  readonly keptOf?: string;
  /** What explains it. */
  readonly explain: string;
  /** The address of its page in the web console, where the user has named one. */
  readonly page?: string | undefined;
}

/** Where Holdfast is installed, and where the user has the web console open. */
export interface Place extends ConsoleOptions {
  readonly installNamespace?: string;
}

/** So many stuck objects are named one by one. */
const mostNamed = 10;

/** All objects of the rules' kinds on which something is written that waits, the oldest first. @throws ApiError */
export async function waitingObjects(
  client: Client,
  rules: readonly Rule[],
  gaps: string[],
  place: Place,
): Promise<readonly WaitingObject[]> {
  const identify = ({ apiVersion, kind }: Kind) => `${apiVersion} ${kind}`;
  const kinds = new Map(rules.flatMap(({ sweep }) => sweep).map(({ kind }) => [identify(kind), kind]));
  const silent: string[] = [];
  // Who may list nothing of a kind gets the same answer whether it is served or not.
  const served = new Set((await discover(client, (path) => silent.push(path))).map(identify));
  const found: WaitingObject[] = [];
  const forbidden: string[] = [];
  for (const kind of kinds.values()) {
    if (!served.has(identify(kind)) && !silent.includes(`/apis/${kind.apiVersion}`)) continue;
    try {
      for await (const object of listServed<KubernetesObject>(client, kind, { metadataOnly: true }))
        found.push(...waitsOn(kind, object, rules, place));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 0) throw error;
      if (error.status === 403) forbidden.push(kind.plural);
      else gaps.push(`Which ${kind.plural} wait could not be read: ${error.message}`);
    }
  }
  if (forbidden.length > 0) gaps.push(`You may not list ${forbidden.join(", ")}: which of them wait is not known.`);
  return found.toSorted((a, b) => a.since.localeCompare(b.since));
}

/** What the annotations of one object say that it waits for, by the rules that may have written them. */
export function waitsOn(
  kind: Kind,
  object: KubernetesObject,
  rules: readonly Rule[],
  { installNamespace, console }: Place = {},
): readonly WaitingObject[] {
  const page = linkTo(console, kind, object.metadata);
  const { namespace, name, labels } = object.metadata;
  const inNamespace = namespace ? ` -n ${namespace}` : "";
  const explain = `holdfast explain ${kind.kind.toLowerCase()}/${name}${inNamespace}${elsewhere(installNamespace)}`;
  const byName = Map.groupBy(rules, progressNameOf);
  return [...byName].flatMap(([progressName, sharing]): WaitingObject[] => {
    const progress = readProgress(object, progressName);
    const away = sharing.map((rule) => readProgress(object, `${rule.name}/away`)).find(Boolean);
    const written = progress ?? away;
    if (!written) return [];
    // Any of the rules that share the progress may have written it.
    const isWarned = sharing.some(({ steps }) => steps?.[progress?.step ?? ""]?.type === "Warning");
    const keptOf = progressName === noting.progressName && progress?.step === "asks" && labels?.[namespaceLabel];
    const isStuck = isWarned && !keptOf;
    const waits = isWarned || away || progress?.next || (progress && labels?.[waitingLabel] === "true");
    if (!waits) return [];
    const { step, since, because, next } = written;
    const about = describe(referenceTo(object));
    const found = { object: about, rule: progressName, step, since, because, isStuck, explain };
    return [{ ...found, ...(keptOf ? { keptOf } : {}), ...(next ? { next } : {}), ...(page ? { page } : {}) }];
  });
}

/** Those that are stuck, kept volumes that no claim can have, and those that a sweep should have seen to. */
export function findingsAbout(
  objects: readonly WaitingObject[],
  sweep: SweepState,
  now: number,
  installNamespace?: string,
): readonly Finding[] {
  const stuck = objects.filter(({ isStuck }) => isStuck);
  const named = stuck.slice(0, mostNamed).map(
    ({ object, since, because, explain, page }): Finding => ({
      what: `${object} is stuck since ${when(since, now)}: ${because}`,
      todo: `Why, and what would let it go: ${explain}${page ? `, or ${page}` : ""}`,
    }),
  );
  const more: Finding = {
    what: stuck.length === mostNamed + 1 ? "One more object is stuck." : `${stuck.length - mostNamed} more are stuck.`,
    todo: `All of them: holdfast status${elsewhere(installNamespace)} -o json`,
  };
  const overdue = objects.filter(({ next, isStuck }) => next && !isStuck && isOverdue(next, now, sweep));
  const [first] = overdue;
  const late: readonly Finding[] = first
    ? [
        {
          what:
            `${overdue.length === 1 ? "One object was" : `${overdue.length} objects were`} due for a look that has ` +
            `not come, the oldest ${first.object} ${when(first.next ?? "", now)}.`,
          todo: `What a look says now: ${first.explain}. If it differs, look at the log of the function.`,
        },
      ]
    : [];
  const kept = [...Map.groupBy(objects, ({ keptOf }) => keptOf)].flatMap(([home, of]) =>
    home ? unoffered(home, of, now) : [],
  );
  return [...named, ...(stuck.length > mostNamed ? [more] : []), ...kept, ...late];
}

/** The kept volumes of a namespace that is gone, or another one now: only a person can say who may have them. */
function unoffered(namespace: string, volumes: readonly WaitingObject[], now: number): Finding {
  const [due] = volumes.flatMap(({ next }) => next ?? []).toSorted();
  const names = volumes.map(({ object }) => object.split(" ").at(-1)).join(" ");
  return {
    what:
      `Namespace ${namespace} is gone or is another one now. Kept volumes of its former claims: ${volumes.length}. ` +
      (due ? `The first is due ${when(due, now)}: then Kubernetes may reclaim it with its data.` : "None has a time."),
    todo:
      `To offer them in a namespace ${namespace}: holdfast restore namespace ${namespace}. ` +
      `To let each go at its time, and say no more of it: kubectl annotate pv ${names} --overwrite ${offerKey}=no`,
  };
}
