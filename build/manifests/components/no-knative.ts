import { standaloneSettings } from "../../../eventing/settings.ts";
import { confined } from "../../../shared/confined.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { slug } from "../../../shared/rule.ts";
import { accessOf, furtherAccessOf, type Grant } from "../access.ts";
import type { Declared } from "../declared.ts";
import { environmentOf } from "../environment.ts";
import { everyFunction, kustomizationFile, type Patch } from "../kustomization.ts";
import { labelsOf, metadataOf, namespace, workloadMetadataOf } from "../metadata.ts";
import { commentsOn, requestSeconds, variablesOf } from "../service.ts";
import { type Setting, settingsOf, settingsOfSchema } from "../settings.ts";
import { sourceManifests, watchedKinds } from "../sources.ts";
import { type Ingress, sweepFunction, sweepSource, systemTablePatches } from "../sweep.ts";
import { triggerManifest, triggersOf } from "../triggers.ts";
import { toFile, toYaml } from "../yaml.ts";
import { onlyFromSource } from "./network-policy.ts";

const folder = "knative/overlays/no-knative";

/** What stands in for Knative's sources and brokers; a process of `eventing/`, not a function. */
const standIn = "platform/source";
const ingress: Ingress = `http://${slug(standIn)}.${namespace}.svc`;
const port = 8080;

const Namespace: Kind = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", namespaced: false };

/**
 * An installation without Knative: the default's accounts, roles and table, each function as a Deployment, and one
 * more, which obeys the sources, brokers and Triggers that are given to it as files.
 */
export function addNoKnative(
  files: Map<string, string>,
  all: readonly Declared[],
  functions: readonly Declared[],
): void {
  const deadLetters = functions.find(({ name }) => name === "platform/dead-letter")?.name;
  const trigger = (planned: Parameters<typeof triggerManifest>[0]) => toYaml(triggerManifest(planned, deadLetters));
  const triggers = functions.flatMap(triggersOf);
  const watched = watchedKinds(functions);
  const sweep = functions.find(({ name }) => name === sweepFunction);
  const sources = [...watched].flatMap(([family, kinds]) => sourceManifests(family, kinds));
  const eventing = [
    // Those of optional systems, too, as in knative/brokers: two of them may have one in common.
    ...[...watchedKinds(all).keys()].map(broker),
    ...sources.filter((object) => (object as { kind: string }).kind === "ApiServerSource"),
    ...(sweep ? [sweepSource(sweep)] : []),
  ].map((object) => toYaml(object));

  const add = (path: string, documents: readonly string[], about?: string) =>
    files.set(`${folder}/${path}`, toFile(everyFunction, documents, about));
  add("functions.yaml", functions.flatMap(functionDocuments));
  add(
    "source.yaml",
    standInDocuments([...watched.values()].flat()),
    "Sources and brokers in one process. One replica: a second one would send every event twice, " +
      "which the functions bear, and no leader is elected. While it is rolled to a new version both run for a " +
      "moment. Events that wait in its memory are lost when it ends before they are delivered; " +
      "the sweep makes up for them, as for every lost event.",
  );
  add(
    "eventing.yaml",
    [...eventing, ...triggers.filter(({ overlay }) => !overlay).map(trigger)],
    "What the Deployment platform-source is given as files: not applied to the cluster, " +
      "which need not know these kinds.",
  );
  files.set(
    `${folder}/kustomization.yaml`,
    kustomizationFile(
      "Kustomization",
      {
        resources: ["../default", "functions.yaml", "source.yaml"],
        configMapGenerator: [
          { name: configMap, namespace, files: ["eventing.yaml"], options: { labels: labelsOf(standIn) } },
        ],
        patches: [
          ...leaveOut,
          ...systemTablePatches(functions, ingress, namespace),
          ...(deadLetters ? [onlyFromSource(deadLetters, standIn)] : []),
        ],
      },
      "For clusters without Knative: each function is a Deployment that always runs, " +
        "and platform-source watches the cluster and sends the events. The functions, their images, " +
        "settings and roles are the same.",
    ),
  );
  for (const [option, planned] of Map.groupBy(triggers, ({ overlay }) => overlay)) {
    if (!option) continue;
    add(`${option}/${option}.yaml`, planned.map(trigger));
    const generator = { name: configMap, namespace, behavior: "merge", files: [`${option}.yaml`] };
    files.set(
      `${folder}/${option}/kustomization.yaml`,
      kustomizationFile("Component", { configMapGenerator: [generator] }, `The option ${option}, without Knative.`),
    );
  }
}

/**
 * The same for each system that is not installed by default: a component for the overlay, with its functions as
 * Deployments, and its Triggers as one more file for platform-source.
 */
export function addSystemsWithoutKnative(
  files: Map<string, string>,
  byDefault: readonly Declared[],
  optional: ReadonlyMap<string, readonly Declared[]>,
): void {
  const known = watchedKinds(byDefault);
  const deadLetters = byDefault.find(({ name }) => name === "platform/dead-letter")?.name;
  for (const [system, functions] of optional) {
    const watched = watchedKinds(functions);
    const missing = [...watched].map(([family, kinds]) => {
      const there = new Set(known.get(family)?.map(({ kind }) => kind));
      return [family, kinds.filter(({ kind }) => !there.has(kind))] as const;
    });
    const eventing = [
      ...missing
        .flatMap(([family, kinds]) => (kinds.length > 0 ? sourceManifests(family, kinds, system) : []))
        .filter((object) => (object as { kind: string }).kind === "ApiServerSource"),
      ...functions
        .flatMap(triggersOf)
        .flatMap((planned) => (planned.overlay ? [] : triggerManifest(planned, deadLetters))),
    ];
    const grants = missing.flatMap(([, kinds]) =>
      kinds.map((resource): Grant => ({ resource, verbs: ["list", "watch"] })),
    );
    const add = (path: string, documents: readonly string[], about?: string) =>
      files.set(`${folder}/${system}/${path}`, toFile(`functions/${system}/*`, documents, about));
    const texts = (objects: readonly object[]) => objects.map((object) => toYaml(object));
    add("functions.yaml", functions.flatMap(functionDocuments));
    add(
      "source-access.yaml",
      texts(furtherAccessOf({ name: slug(standIn), labels: labelsOf(standIn) }, system, grants)),
    );
    add(
      `${system}.yaml`,
      texts(eventing),
      "What platform-source is given besides, as a file: not applied to the cluster.",
    );
    files.set(
      `${folder}/${system}/kustomization.yaml`,
      kustomizationFile(
        "Component",
        {
          components: [`../../../access/${system}`, `../../../${system}`],
          resources: ["functions.yaml", "source-access.yaml"],
          configMapGenerator: [{ name: configMap, namespace, behavior: "merge", files: [`${system}.yaml`] }],
          patches: [...leaveOut, ...systemTablePatches(functions, ingress, namespace)],
        },
        `The system ${system}, without Knative.`,
      ),
    );
  }
}

const configMap = "holdfast-eventing";

/** What of the default only Knative understands, or only its sources need. */
const leaveOut: readonly Patch[] = [
  ["serving.knative.dev/v1", "Service"],
  ["eventing.knative.dev/v1", "Broker"],
  ["eventing.knative.dev/v1", "Trigger"],
  ["sources.knative.dev/v1", "ApiServerSource"],
  ["sources.knative.dev/v1", "PingSource"],
  ["v1", "ServiceAccount", "app.kubernetes.io/component=source,!app.kubernetes.io/name"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole", "app.kubernetes.io/component=source,!app.kubernetes.io/name"],
  ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "app.kubernetes.io/component=source,!app.kubernetes.io/name"],
].map(([apiVersion = "", kind = "", labelSelector]) => {
  const [group, version] = apiVersion.split("/");
  return {
    target: { ...(version && group ? { group } : {}), kind, ...(labelSelector ? { labelSelector } : {}) },
    patch: { $patch: "delete", apiVersion, kind, metadata: { name: "any" } },
  };
});

const broker = (name: string) => ({
  apiVersion: "eventing.knative.dev/v1",
  kind: "Broker",
  metadata: {
    name,
    namespace,
    // As in knative/brokers: what a function takes its time over must not hold up the source.
    annotations: { "messaging.knative.dev/async-handler": "true" },
  },
});

function functionDocuments(declared: Declared): readonly string[] {
  const settings = settingsOf(declared);
  const { pod, container } = environmentOf(declared);
  const workload = deployment(declared.name, settings, { serviceAccountName: slug(declared.name), ...pod }, container);
  return [toYaml(workload, commentsOn(settings)), toYaml(service(declared.name))];
}

function standInDocuments(kinds: readonly Kind[]): readonly string[] {
  const grants = [...kinds, Namespace].map((resource): Grant => ({ resource, verbs: ["list", "watch"] }));
  const settings = settingsOfSchema(standIn, standaloneSettings);
  const mount = settings.find(({ variable }) => variable === "EVENTING")?.value;
  const workload = deployment(
    standIn,
    settings,
    { serviceAccountName: slug(standIn), volumes: [{ name: "eventing", configMap: { name: configMap } }] },
    { volumeMounts: [{ name: "eventing", mountPath: mount, readOnly: true }] },
  );
  return [
    ...accessOf({ name: slug(standIn), labels: labelsOf(standIn) }, grants).map((object) => toYaml(object)),
    toYaml(workload, commentsOn(settings)),
    toYaml(service(standIn)),
  ];
}

function deployment(name: string, settings: readonly Setting[], pod: object, container: object = {}): object {
  const probe = (path: string, rest: object) => ({ httpGet: { path, port: "http" }, ...rest });
  const labels = labelsOf(name);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: workloadMetadataOf(name),
    spec: {
      replicas: 1,
      // The API server adds the type where it is left out, and kubectl would patch that with every apply.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...pod,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: requestSeconds,
          containers: [
            {
              name: "function",
              image: `fn://${name}`,
              env: variablesOf(settings),
              ports: [{ name: "http", containerPort: port }],
              ...container,
              readinessProbe: probe("/health/ready", { periodSeconds: 5 }),
              livenessProbe: probe("/health/live", { timeoutSeconds: 5, failureThreshold: 6 }),
              ...confined,
            },
          ],
        },
      },
    },
  };
}

/** Under the name, and at the port, by which Triggers know the function's Knative Service. */
function service(name: string): object {
  const ports = [{ name: "http", port: 80, targetPort: "http" }];
  return { apiVersion: "v1", kind: "Service", metadata: metadataOf(name), spec: { selector: labelsOf(name), ports } };
}
