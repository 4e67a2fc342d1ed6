import { seededRandom } from "../../eventing/random.ts";
import { systemClock } from "../../shared/clock.ts";
import { ask } from "../../shared/command/ask.ts";
import { shellWord } from "../../shared/command/shell-word.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { groupOf, type Kind } from "../../shared/kubernetes/kind.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import { lackingRights, type Right } from "../../shared/kubernetes/lacking-rights.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule } from "../../shared/rule.ts";
import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { type Held, type Hold, heldObjects, holdsOf, letGo, removable } from "../../shared/uninstall/held-objects.ts";
import { refusedBy, undoLeftBehind } from "../../shared/uninstall/undo-left-behind.ts";
import {
  describeHeld,
  describeLeftBehind,
  describeLetGo,
  describeStanding,
} from "../../shared/uninstall/what-is-left.ts";
import { createApiServer } from "../apiserver/server.ts";
import { create, createGuests } from "../cluster/install.ts";
import { installedRules } from "../cluster/installed-rules.ts";
import type { RunningCluster } from "../cluster/running-cluster.ts";
import { createControllerTools } from "../controllers/controller-tools.ts";
import { eventingDefinitions } from "../knative/definitions.ts";
import { serviceDefinition } from "../serving/definition.ts";
import type { Activity } from "./activity.ts";
import { type KnownCluster, readCluster } from "./cluster-entry.ts";
import { startConsole } from "./console.ts";
import { issueCredentials } from "./credentials.ts";
import { startKnative } from "./knative.ts";
import type { Bundles } from "./launch.ts";
import { defaultInstall } from "./manifests.ts";
import { sayWhatIsTouched } from "./notice.ts";
import type { StartOptions } from "./options.ts";
import { overlay } from "./overlay.ts";
import { becomeReady } from "./ready.ts";
import type { Session } from "./session.ts";

const knativeGroups = ["eventing.knative.dev", "sources.knative.dev", "serving.knative.dev"];
const isKnative = ({ apiVersion }: KubernetesObject) =>
  knativeGroups.some((group) => apiVersion.startsWith(`${group}/`));

/**
 * Lets sources, brokers and functions work on the cluster of a kubeconfig. Knative's objects live in an API server
 * inside this program; the cluster only gets what the functions need to act on it: a namespace, service accounts and
 * roles. Systems that bring kinds, or ask an external system, are for a cluster where they are installed.
 */
export async function startOnCluster(
  file: string,
  options: StartOptions,
  session: Session,
  terminal: Terminal,
  activity: Activity,
  bundles: Bundles,
): Promise<RunningCluster> {
  const cluster = readCluster(file);
  const transport = kubeconfigTransport(file);
  const client = createClient(transport);
  const clock = systemClock;
  await reach(createClient(transport, { deadline: reachable }), cluster);

  const objects = defaultInstall(options);
  const guests = objects.filter((object) => !isKnative(object));
  const rules = await installedRules(objects);
  const holds = holdsOf(rules);
  const missing = await lackingRights(client, rightsFor(guests, rules, options));
  if (missing) throw new UserError(`${cluster.user || "You"} may not ${missing} on ${cluster.server}.`);

  sayWhatIsTouched(terminal, { cluster, objects: guests, rules }, options);
  if (!options.yes && !process.stdin.isTTY)
    throw new UserError("There is no one to ask at this terminal: give --yes to go on.");
  if (!options.yes && !(await ask("Go on?", session.signal))) throw new UserError("Nothing was changed.");

  const visit = createGuests(client, clock, async () => {
    terminal.print("An earlier run left objects here, or one is still at work.");
    return options.yes || ask("Take them over?", session.signal);
  });
  session.onEnd(async () => {
    terminal.print("Taking away what was created ...");
    await visit.remove();
  });
  await visit.add(guests, session.signal);
  await bundles.build(session.signal);

  const random = seededRandom(clock.now());
  const control = createApiServer({ clock, random }).handle;
  const namespaces = guests.filter(({ kind }) => kind === "Namespace");
  await create(createClient(control), [...namespaces, ...knativeDefinitions]);
  await create(createClient(control), objects.filter(isKnative));

  const tools = createControllerTools({
    transport: overlay(knativeGroups, control, transport),
    clock,
    random,
    signal: session.signal,
    trouble: activity.onTrouble,
    watchSeconds,
  });
  const credentials = issueCredentials({ client, clock, signal: session.signal }, cluster.entry, session.folder);
  // What carried a finalizer of ours before is left as it was, unless a run of ours put it there and could not clean
  // up.
  const before = (await visit.tookOver()) ? [] : await heldObjects(client, holds);
  session.onEnd(() => seeToWhatIsLeft({ client, rules, holds, before }, options, terminal));
  const knative = await startKnative({
    tools,
    server: cluster.server,
    credentials,
    bundles,
    activity,
    window: options.window,
  });
  session.onEnd(knative.close);
  await becomeReady(tools.client, clock, session.signal);
  await startConsole(overlay(knativeGroups, control, transport), bundles, session, terminal);
  return {
    client,
    knative: tools.client,
    clock,
    processes: knative.processes,
    holds,
    quiet: false,
    advice: advice(file),
  };
}

const knativeDefinitions = [...eventingDefinitions, serviceDefinition] as unknown as KubernetesObject[];

/** Seconds: as often as client-go's informers at the earliest. A laptop sleeps, and networks forget what is silent. */
const watchSeconds = 300;

/** Milliseconds until a cluster that does not answer is given up. */
const reachable = 10_000;

async function reach(client: Client, { server }: KnownCluster): Promise<void> {
  try {
    await client.request("GET", "/version");
  } catch (error) {
    const why = error instanceof ApiError && error.status > 0 ? `answers ${error.status}` : "does not answer";
    const { cause } = error as { cause?: Error };
    throw new UserError(`The cluster ${server} ${why}: ${cause?.message || (error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * What this program does itself. What the functions do is up to the roles that it creates, and the API server lets
 * no user create a role with more rights than their own.
 */
function rightsFor(guests: readonly KubernetesObject[], rules: readonly Rule[], { tour }: StartOptions): Right[] {
  const rbac = "rbac.authorization.k8s.io";
  const groups: Record<string, string> = { Role: rbac, RoleBinding: rbac, ClusterRole: rbac, ClusterRoleBinding: rbac };
  const kinds = [...new Set(guests.map(({ kind }) => kind))];
  return [
    ...kinds.flatMap((kind) => {
      const resource = { group: groups[kind] ?? "", resource: `${kind.toLowerCase()}s` };
      return ["create", "get", "delete"].map((verb) => ({ ...resource, verb }));
    }),
    // Each process of a function has a pod that is never scheduled.
    ...["create", "delete"].map((verb) => ({ group: "", resource: "pods", verb })),
    { group: "", resource: "serviceaccounts", subresource: "token", verb: "create" },
    { group: "", resource: "namespaces", verb: "watch" },
    // Whether a source's service account may list and watch what it is for is asked on its behalf.
    { group: "authorization.k8s.io", resource: "subjectaccessreviews", verb: "create" },
    // What the rules have put on objects is looked for at the end, and finalizers are removed.
    ...rules.flatMap(({ finalizers = [], leavesBehind = [] }) => [
      ...finalizers.flatMap(({ kind }) => ["list", "get", "patch"].map((verb) => rightTo(verb, kind))),
      ...leavesBehind.flatMap(({ kind, undo }) =>
        ["list", ...(undo ? ["get", "patch"] : [])].map((verb) => rightTo(verb, kind)),
      ),
    ]),
    ...(tour === "none" ? [] : tourRights),
  ];
}

const rightTo = (verb: string, kind: Kind): Right => ({ group: groupOf(kind), resource: kind.plural, verb });

const tourRights: readonly Right[] = [
  ...["create", "delete"].map((verb) => ({ group: "", resource: "persistentvolumeclaims", verb })),
  { group: "", resource: "pods", verb: "get" },
  ...["create", "get", "patch", "delete"].map((verb) => ({ group: "apps", resource: "statefulsets", verb })),
  { group: "events.k8s.io", resource: "events", verb: "list" },
];

interface Uninstall {
  readonly client: Client;
  readonly rules: readonly Rule[];
  readonly holds: readonly Hold[];
  /** What carried a finalizer of ours before anything was installed. */
  readonly before: readonly Held[];
}

/**
 * Removes the finalizers of objects that got them meanwhile, as no function would any more, and says so. Asks before,
 * unless all was agreed to.
 */
async function seeToWhatIsLeft(
  { client, rules, holds, before }: Uninstall,
  { yes }: StartOptions,
  { print, width }: Terminal,
): Promise<void> {
  const say = (sentence: string) => print(wrap(sentence, 0, width));
  const { sentences, refusals, refused } = await undoLeftBehind(client, rules);
  for (const sentence of sentences) say(sentence);
  for (const sentence of await describeLeftBehind(client, rules)) say(sentence);
  const known = new Set(before.map(({ object }) => object.metadata.uid));
  const all = (await heldObjects(client, holds)).filter(({ object }) => !known.has(object.metadata.uid));
  for (const sentence of describeStanding(all)) say(sentence);
  // What a function holds may be held for the sake of what could not be put back.
  const safe = holdsOf(rules.filter((rule) => !refused.includes(rule)));
  const held = removable(all.filter(({ hold }) => safe.some(({ finalizer }) => finalizer === hold.finalizer)));
  if (refusals.length > 0) say(refusedBy(refusals).message);
  if (held.length === 0) return;
  if (!yes) {
    for (const sentence of describeHeld(held)) say(sentence);
    if (!(await ask("Remove these finalizers?")))
      return say("They stay as they are. Run this again, or install Holdfast, and the functions let them go.");
  }
  await letGo(client, held);
  for (const sentence of describeLetGo(held)) say(sentence);
}

const advice = (file: string) => `The functions are at work on the cluster. In another terminal:

  export KUBECONFIG=${shellWord(file)}
  kubectl get pvc -A -w

Ctrl-C ends it.`;
