import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import type { Finding } from "../output/finding.ts";
import type { InstalledFunction } from "../rules/installed-functions.ts";

/** A function as it stands in the cluster. */
export interface FunctionState {
  readonly name: string;
  readonly system: string;
  /** The tag of its image, or else what its manifest says; absent where neither names a version. */
  readonly version?: string;
  readonly image: string;
  /** What it is to kubectl. */
  readonly resource: "deployment" | "ksvc";
  /** Why it cannot run, as a whole sentence; absent where it can. One that sleeps can. */
  readonly unready?: string;
  /** Why only what it was before its last change runs, as a whole sentence; absent where what is declared runs. */
  readonly outdated?: string;
}

interface Workload extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };
  };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

/** A condition of a Kubernetes object. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The parts of Holdfast that serve no system of their own. */
const platform = "platform";

/** How a function stands; `rules` say to which system it belongs where no label does. */
export function stateOf({ name, object }: InstalledFunction, rules: readonly Rule[]): FunctionState {
  const workload = object as Workload;
  const image = workload.spec?.template?.spec?.containers?.[0]?.image ?? "";
  const rule = rules.find((one) => slug(one.name) === name);
  const system = rule?.name.split("/")[0] ?? object.metadata.labels?.["app.kubernetes.io/name"] ?? platform;
  const version = tagOf(image) ?? object.metadata.labels?.["app.kubernetes.io/version"];
  const resource = workload.kind === "Deployment" ? "deployment" : "ksvc";
  const why = resource === "deployment" ? whyNotReplicated(workload) : whyNotServed(workload);
  const unready = why && isPlaceholder(image) ? "The image is the placeholder of the manifests." : why;
  const outdated = resource === "deployment" && !why ? whyOutdated(workload) : undefined;
  const known = { ...(version ? { version } : {}), ...(unready ? { unready } : {}), ...(outdated ? { outdated } : {}) };
  return { name, system, image, resource, ...known };
}

/** What the manifests name until an overlay names an image. */
const isPlaceholder = (image: string) => image.startsWith("fn://");

/** `registry:5000/holdfast/release:0.1.0@sha256:…` has the tag `0.1.0`. */
function tagOf(image: string): string | undefined {
  const [, tag] = /:([\w][\w.-]*)$/.exec(image.split("@")[0]?.split("/").at(-1) ?? "") ?? [];
  return tag;
}

function whyNotReplicated({ spec, status }: Workload): string | undefined {
  const { replicas = 1 } = spec ?? {};
  if (replicas === 0) return "Its Deployment is scaled to 0, and without Knative nothing starts it.";
  if ((status?.readyReplicas ?? 0) > 0) return undefined;
  return whyNoPod(status, "pod");
}

/** A Deployment keeps a pod of before a change until the new one is ready, and says if that is refused or too late. */
function whyOutdated({ status }: Workload): string | undefined {
  const { replicas = 0, updatedReplicas = 0, conditions = [] } = status ?? {};
  const isHeld = conditions.some(
    ({ type, status }) => `${type} ${status}` === "ReplicaFailure True" || `${type} ${status}` === "Progressing False",
  );
  return replicas > updatedReplicas && isHeld ? whyNoPod(status, "new pod") : undefined;
}

/** Why there is no pod of what is declared. */
function whyNoPod(status: Workload["status"], pod: string): string {
  const refused = status?.conditions?.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
  // Without the name of the pod, which is another one for each function, they are reported together.
  if (refused?.message) return `Its ${pod} is refused: ${refused.message.replace(/^pods "[^"]*" is forbidden: /, "")}.`;
  const failed = status?.conditions?.find(({ status, message }) => status === "False" && message);
  return failed ? `No ${pod} of it is ready: ${failed.message}` : `No ${pod} of it is ready.`;
}

function whyNotServed({ status }: Workload): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return undefined;
  if (!ready) return "Knative Serving has said nothing about it: does its controller run?";
  return `Knative says that it is not ready: ${ready.message ?? ready.reason ?? "it does not say why"}.`;
}

/** A system, or the platform, and its functions. */
export interface SystemState {
  readonly system: string;
  readonly functions: readonly FunctionState[];
  /** Functions that the system has, and that are not installed although others of it are. */
  readonly missing: readonly string[];
}

/** The functions that there are, by system, and what is wrong with them. */
export function systemsOf(
  states: readonly FunctionState[],
  rules: readonly Rule[],
  namespace: string,
): { readonly systems: readonly SystemState[]; readonly findings: readonly Finding[] } {
  const installed = new Set(states.map(({ name }) => name));
  const systems = [...Map.groupBy(states, ({ system }) => system)].map(([system, functions]): SystemState => {
    const all = rules.filter(({ name }) => name.startsWith(`${system}/`)).map(({ name }) => slug(name));
    return { system, functions, missing: all.filter((name) => !installed.has(name)) };
  });
  return {
    systems: systems.toSorted((a, b) => a.system.localeCompare(b.system)),
    findings: [
      ...[...Map.groupBy(states, ({ unready }) => unready)].flatMap(([why, of]) =>
        why ? notReady(why, of, namespace) : [],
      ),
      ...[...Map.groupBy(states, ({ outdated }) => outdated)].flatMap(([why, of]) =>
        why ? notRolledOut(why, of, namespace) : [],
      ),
      ...systems.filter(({ missing }) => missing.length > 0).map(incomplete),
      ...differentVersions(states),
    ],
  };
}

function notReady(why: string, states: readonly FunctionState[], namespace: string): Finding {
  const names = states.map(({ name }) => name);
  return {
    what: `${names.length === 1 ? "This function" : "These functions"} cannot run: ${names.join(", ")}. ${why}`,
    todo: states.some(({ image }) => isPlaceholder(image))
      ? "Apply the overlay with images: docs/images.md says how."
      : `Look at: kubectl -n ${namespace} describe ${states[0]?.resource} ${names[0]}`,
  };
}

function notRolledOut(why: string, states: readonly FunctionState[], namespace: string): Finding {
  const names = states.map(({ name }) => name);
  const these = names.length === 1 ? "This function runs" : "These functions run";
  return {
    what: `${these} as before the last change, which is not rolled out: ${names.join(", ")}. ${why}`,
    todo: `Look at: kubectl -n ${namespace} describe deployment ${names[0]}`,
  };
}

const incomplete = ({ system, missing }: SystemState): Finding => ({
  what:
    `Of ${system} ${missing.length === 1 ? "this function is" : "these functions are"} not installed, although ` +
    `others are: ${missing.join(", ")}. What only ${missing.length === 1 ? "it does" : "they do"} waits for ever.`,
  todo: "Apply the whole system again.",
});

function differentVersions(states: readonly FunctionState[]): readonly Finding[] {
  const versions = [...Map.groupBy(states, ({ version }) => version)].filter(([version]) => version !== undefined);
  if (versions.length < 2) return [];
  const each = versions
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([version, of], index) => `${version} (${index === 0 ? of.length : of.map(({ name }) => name).join(", ")})`);
  return [
    {
      what: `Functions run different versions: ${each.join("; ")}.`,
      todo: "An upgrade passes through this. If no upgrade is under way, apply one release as a whole.",
    },
  ];
}
