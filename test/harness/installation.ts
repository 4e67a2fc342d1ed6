import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isEventing } from "../../eventing/manifest/read-plan.ts";
import { type Manifest, readManifests } from "../../eventing/read-manifests.ts";
import { remember } from "../../local/apiserver/remember.ts";
import { type Plan, readService } from "../../local/serving/plan.ts";
import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import { type Kind, Namespace } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Setting } from "./cluster.ts";
import { installedKinds } from "./kinds.ts";

const manifests = fileURLToPath(new URL("../../knative", import.meta.url));

/** What `knative/` says is to be installed, sorted by who obeys it. */
export interface Installation {
  /** Namespace, accounts, roles, policies: for the API server. */
  readonly objects: readonly KubernetesObject[];
  /** The service accounts among them. */
  readonly accounts: readonly { readonly namespace: string; readonly name: string }[];
  /** Brokers, Triggers and sources. */
  readonly eventing: readonly KubernetesObject[];
  /** Knative Services, with the environment that the setting gives them. */
  readonly services: readonly Plan[];
}

/** Annotations of the rules begin so, too. */
const defaultFinalizer = /holdfast\.dev\/pvc-protection(?![-.\w])/g;

const known = new WeakMap<Setting, Installation>();

/**
 * What is installed in a setting: the default and the setting's components, as an admin would patch them. Read once for
 * each setting, because thousands of clusters have it; callers must not change the answer.
 */
export function readInstallation(setting: Setting): Installation {
  const installation = known.get(setting) ?? read(setting);
  known.set(setting, installation);
  return installation;
}

/** What the paths have, by these: most settings have the same, and change a few variables. */
const manifestsIn = remember<string, Manifest[]>((paths) => readManifests(JSON.parse(paths)), new Map());

function read(setting: Setting): Installation {
  const { components, environment, finalizer, withoutKnative, release, edit = (object) => object } = setting;
  const bare = ["source.yaml", "eventing.yaml"].map((file) => join("overlays/no-knative", file));
  const paths = [".", ...components, ...(withoutKnative ? bare : [])].map((path) =>
    join(release?.manifests ?? manifests, path),
  );
  const patched = (text: string) => (finalizer ? text.replaceAll(defaultFinalizer, finalizer) : text);
  const found = manifestsIn(JSON.stringify(paths))
    .filter(({ object }) => !setting.leaveOut?.(object))
    // Without Knative this comes from files of its own, which the default has as objects.
    .filter(({ file, object }) => !withoutKnative || !isEventing(object) || file.includes("/no-knative/"));
  const all = found.map(({ object }) => edit(JSON.parse(patched(JSON.stringify(object))) as KubernetesObject));
  const left = ["PingSource", ...(setting.bySweepsAlone ? ["ApiServerSource"] : [])];
  const isService = ({ apiVersion }: KubernetesObject) => apiVersion.startsWith("serving.knative.dev/");
  const runs = ({ apiVersion, kind }: KubernetesObject) =>
    kind === "Deployment" || (apiVersion === "v1" && kind === "Service");
  return {
    objects: all.filter((object) => !isEventing(object) && !isService(object) && !runs(object)),
    accounts: all
      .filter(({ kind }) => kind === "ServiceAccount")
      .map(({ metadata: { namespace = "default", name } }) => ({ namespace, name })),
    // Time belongs to the scenario: it sweeps when it wants to.
    eventing: all.filter((object) => isEventing(object) && !left.includes(object.kind)),
    services: all.filter(isService).map((service) => {
      const plan = readService(service).plan;
      const shared = plan.configMaps.map(({ name }) => dataOf(all, name));
      const variables = Object.assign({}, ...shared, plan.environment, { NAMESPACE: plan.namespace });
      return { ...plan, environment: { ...variables, ...environment[plan.service] } };
    }),
  };
}

/** The entries of a ConfigMap among objects. */
function dataOf(objects: readonly KubernetesObject[], name: string): Readonly<Record<string, string>> {
  const found = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === name);
  return (found?.data ?? {}) as Readonly<Record<string, string>>;
}

/**
 * Puts objects on an API server; what is there already stays, or is `changed` to what is given, as by `kubectl apply`.
 * Returns how to take away what was put there, which returns that.
 */
export async function install(
  client: Client,
  objects: readonly KubernetesObject[],
  already: "stays" | "changed" = "stays",
): Promise<() => Promise<readonly KubernetesObject[]>> {
  // A group whose last definition was deleted a moment ago is still listed, and not served any more.
  const silent: string[] = [];
  let served: Promise<readonly Kind[]> | undefined;
  const isOf = (object: KubernetesObject) => (each: Kind) =>
    each.apiVersion === object.apiVersion && each.kind === object.kind;
  const discovered = async (object: KubernetesObject): Promise<Kind> => {
    served ??= discover(client, (path) => silent.push(path));
    const found = (await served).find(isOf(object));
    const without = silent.length > 0 ? `, and does not answer ${silent.join(", ")}` : "";
    if (!found) throw new Error(`The API server does not serve ${object.apiVersion} ${object.kind}${without}.`);
    return found;
  };
  const created: [Kind, KubernetesObject][] = [];
  // Namespaces first, those of others that Holdfast has Roles in, too; the rest may refer to what comes later.
  const all = [...namespacesOfOthers(objects), ...objects];
  const sorted = all.toSorted((a, b) => Number(b.kind === "Namespace") - Number(a.kind === "Namespace"));
  for (const object of sorted) {
    const kind = installedKinds.find(isOf(object)) ?? (await discovered(object));
    try {
      created.push([kind, await client.create(kind, object)]);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { namespace, name } = object.metadata;
      if (already === "changed") await client.patch(kind, namespace, name, "merge", object);
    }
  }
  return async () => {
    for (const [kind, { metadata }] of created.reverse()) await client.delete(kind, metadata.namespace, metadata.name);
    return created.map(([, object]) => object);
  };
}

/** The namespaces that are not installed, which an admin has before. */
function namespacesOfOthers(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const { apiVersion, kind } = Namespace;
  const installed = objects.flatMap((object) => (object.kind === kind ? [object.metadata.name] : []));
  const used = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  return [...used]
    .filter((name) => installed.length > 0 && !installed.includes(name))
    .map((name) => ({ apiVersion, kind, metadata: { name } }) as KubernetesObject);
}
