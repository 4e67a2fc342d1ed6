import { parseAllDocuments } from "yaml";
import { adviceOn, lookAtChannels } from "../../functions/platform/sweep/channels.ts";
import { isNotFound } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import { readOrNote } from "../cluster/read-or-note.ts";
import type { Finding } from "../output/finding.ts";
import type { InstalledFunction } from "../rules/installed-functions.ts";
import { defaultSystems } from "../rules/load-systems.ts";
import { type Condition, stateOf } from "./functions.ts";
import { type FilteringTrigger, keptOut, leadsTo } from "./trigger-filters.ts";

/** What brings events to the functions: a source, a broker or a Trigger. */
interface Source {
  readonly kind: string;
  readonly name: string;
  /** Why it brings none, as a whole sentence. */
  readonly unready?: string;
}

interface Conditioned extends KubernetesObject, FilteringTrigger {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const kind = (group: string, kind: string, plural: string): Kind => ({
  apiVersion: `${group}.knative.dev/v1`,
  kind,
  plural,
  namespaced: true,
});
const kinds = [
  kind("sources", "ApiServerSource", "apiserversources"),
  kind("sources", "PingSource", "pingsources"),
  kind("eventing", "Broker", "brokers"),
  kind("eventing", "Trigger", "triggers"),
];

/** What stands in for Knative's sources and brokers where there is no Knative. */
const withoutKnative = "platform-source";

/** The sources of a namespace, and what keeps events from the functions. @throws ApiError */
export async function sourcesOf(
  client: Client,
  namespace: string,
  functions: ReadonlyMap<string, InstalledFunction>,
  rules: readonly Rule[],
  gaps: string[],
): Promise<{ readonly sources: readonly Source[]; readonly findings: readonly Finding[] }> {
  const substitute = functions.get(withoutKnative);
  const found: Conditioned[] = [];
  let isServed = false;
  const unread = gaps.length;
  for (const one of kinds)
    await readOrNote(gaps, `Which ${one.plural} there are`, async () => {
      try {
        for await (const object of client.list<Conditioned>(one, { namespace })) found.push(object);
        isServed = true;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
  if (substitute && found.length === 0) {
    const { unready } = stateOf(substitute, []);
    const triggers = await readOrNote(gaps, "Which Triggers there are", () =>
      triggersWithoutKnative(client, namespace, substitute),
    );
    const inOverlay = await defaultSystems();
    return {
      sources: [{ kind: "Deployment", name: withoutKnative, ...(unready ? { unready } : {}) }],
      findings: triggers?.length
        ? [
            ...rulesWithoutTrigger(triggers, functions, rules, (system) => bringTriggers(system, inOverlay)),
            ...systemsWithoutFunction(triggers, functions, rules, inOverlay),
            ...keptOut(triggers, functions, rules),
          ]
        : [],
    };
  }
  const sources = found.map((object): Source => {
    const unready = whyUnready(object);
    return { kind: object.kind, name: object.metadata.name, ...(unready ? { unready } : {}) };
  });
  if (gaps.length > unread) return { sources, findings: unreadyAmong(sources, namespace) };
  const channels = await readOrNote(gaps, "Whether a broker has stale subscribers", () =>
    lookAtChannels(client, namespace),
  );
  const [advice, ...faults] = adviceOn(channels?.unsound ?? []);
  return {
    sources,
    findings: [
      ...(sources.some((one) => one.kind === "ApiServerSource") ? [] : [noSource(namespace, isServed)]),
      ...unreadyAmong(sources, namespace),
      ...rulesWithoutTrigger(found, functions, rules, applyAgain),
      ...keptOut(found, functions, rules),
      ...(advice ? [{ what: faults.join(" "), todo: advice }] : []),
    ],
  };
}

/** The Triggers that the source is given as files of ConfigMaps. @throws ApiError */
async function triggersWithoutKnative(
  client: Client,
  namespace: string,
  { object }: InstalledFunction,
): Promise<readonly FilteringTrigger[]> {
  const { volumes = [] } = (object as WithVolumes).spec?.template?.spec ?? {};
  const names = volumes.flatMap(({ configMap }) => configMap?.name ?? []);
  const found = await Promise.all(
    names.map((name) => client.get<KubernetesObject & { data?: Record<string, string> }>(ConfigMap, namespace, name)),
  );
  return found
    .flatMap((one) => Object.values(one?.data ?? {}))
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject | null))
    .filter((one) => one?.kind === "Trigger") as FilteringTrigger[];
}

interface WithVolumes extends KubernetesObject {
  readonly spec?: {
    readonly template?: {
      readonly spec?: { readonly volumes?: readonly { readonly configMap?: { readonly name: string } }[] };
    };
  };
}

function unreadyAmong(sources: readonly Source[], namespace: string): readonly Finding[] {
  const alike = Map.groupBy(sources, ({ kind, unready }) => unready && `${kind} ${unready}`);
  return [...alike.values()].flatMap((of) => {
    const [first] = of;
    if (!first?.unready) return [];
    const verb = of.length === 1 ? "is" : "are";
    const what = `${first.kind} ${of.map(({ name }) => name).join(", ")} ${verb} not ready. ${first.unready}`;
    const describing = `kubectl -n ${namespace} describe ${first.kind.toLowerCase()} ${first.name}`;
    return [{ what, todo: `Look at: ${describing}` }];
  });
}

const noSource = (namespace: string, isServed: boolean): Finding => ({
  what: `No source of events is in namespace ${namespace}: only the sweep can bring a function to act, if it runs.`,
  todo: isServed
    ? "Apply the overlay again: the sources are among its objects."
    : "This cluster has no Knative Eventing: install it, or apply the overlay no-knative.",
});

function whyUnready({ status }: Conditioned): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return undefined;
  if (!ready) return "Knative Eventing has said nothing about it: does its controller run?";
  return `Knative says: ${ready.message ?? ready.reason ?? "nothing"}.`;
}

/**
 * Rules whose function no Trigger names: one finding for each system. The sweep sends its events to a broker, too, so
 * none of them reaches such a function.
 */
function rulesWithoutTrigger(
  found: readonly FilteringTrigger[],
  functions: ReadonlyMap<string, InstalledFunction>,
  rules: readonly Rule[],
  todo: (system: string) => string,
): readonly Finding[] {
  const deaf = rules.filter(
    ({ name, triggers, sweep }) =>
      functions.has(slug(name)) &&
      (sweep.length > 0 || triggers.some(({ overlay }) => !overlay)) &&
      !found.some((trigger) => leadsTo(trigger, slug(name))),
  );
  return [...Map.groupBy(deaf, systemOf)].map(([system, of]) => {
    const names = of.map(({ name }) => slug(name)).join(", ");
    const which = of.length === 1 ? `the function ${names}: it` : `the functions ${names}: they`;
    return { what: `No Trigger brings events to ${which} will not act, not even with the sweep.`, todo: todo(system) };
  });
}

const systemOf = ({ name }: Rule) => name.split("/")[0] ?? "";

const applyAgain = (system: string) => `Apply ${system} again: the Triggers are among its objects.`;

/** `inOverlay`: the systems that the overlay always has, so that none of them can be uninstalled alone. */
const bringTriggers = (system: string, inOverlay: readonly string[]) =>
  inOverlay.includes(system)
    ? `If your overlay has its own copy of eventing.yaml, add the Triggers of ${system} to it. Then apply the ` +
      "overlay or chart again."
    : `If you want ${system}, add it to your overlay, add its Triggers if the overlay has its own eventing.yaml, and ` +
      `apply it. If you have taken it out of your overlay: holdfast uninstall ${system}`;

/** Systems that Triggers name, and of which no function is there: without Knative, a ConfigMap holds its Triggers. */
function systemsWithoutFunction(
  triggers: readonly FilteringTrigger[],
  functions: ReadonlyMap<string, InstalledFunction>,
  rules: readonly Rule[],
  inOverlay: readonly string[],
): readonly Finding[] {
  const installed = new Set(rules.filter(({ name }) => functions.has(slug(name))).map(systemOf));
  const gone = rules.filter(
    (rule) => !installed.has(systemOf(rule)) && triggers.some((trigger) => leadsTo(trigger, slug(rule.name))),
  );
  return [...new Set(gone.map(systemOf))].map((system) => ({
    what: `${withoutKnative} sends events to functions of ${system}, and none is installed: they are dead-lettered.`,
    todo: inOverlay.includes(system)
      ? `Apply your overlay or chart again: without Knative, ${system} is always a part of it.`
      : `Take ${system} out of your overlay or values, and apply that.`,
  }));
}
