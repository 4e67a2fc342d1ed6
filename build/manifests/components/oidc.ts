import { slug } from "../../../shared/rule.ts";
import type { Declared } from "../declared.ts";
import { everyFunction, kustomizationFile, type Operation, type Patch } from "../kustomization.ts";
import { clusterWide, deadLetterFunction, namespace } from "../metadata.ts";
import { settingsOf } from "../settings.ts";
import { watchedKinds } from "../sources.ts";
import { sweepFunction } from "../sweep.ts";
import { triggersOf } from "../triggers.ts";
import { toFile, toYaml } from "../yaml.ts";

const folder = "knative/components/oidc";

/** What a token must be meant for so that a function takes the event that comes with it. */
const audienceOf = (name: string) => `${namespace}/${slug(name)}`;

/**
 * Who sends events to a function: the accounts that Knative makes for its Triggers, and for the PingSource of the
 * sweep. Dead-lettered events come from the accounts of all Triggers, because a broker delivers them in the name of the
 * Trigger, too. An account's name begins with that of its object, cut to 31 characters where the whole is longer than
 * 63 (`ChildName` of knative.dev/pkg). Functions know only this beginning: the rest comes from a feature that is alpha,
 * and a release of Knative that names it differently must not stop all functions. No other account begins so.
 */
function sendersTo(declared: Declared, functions: readonly Declared[]): readonly string[] {
  const { name, triggers } = declared;
  if (name === sweepFunction) return ["sweep-"];
  const served = name === deadLetterFunction ? functions : triggers ? [declared] : [];
  if (served.length === 0) throw new Error(`${name} has no Triggers, so it is not known who sends events to it.`);
  const beginnings = served.flatMap(triggersOf).map((trigger) => trigger.name.slice(0, 31));
  return [...new Set(beginnings)].sort();
}

const add = (path: string, value: unknown): Operation => ({ op: "add", path, value });

/**
 * Senders sign in, and functions check who they are, those of optional systems, too: of what is not installed there is
 * nothing to be patched. What their accounts need besides is a component for each system.
 */
export function addOidc(
  files: Map<string, string>,
  functions: readonly Declared[],
  optional: ReadonlyMap<string, readonly Declared[]>,
): void {
  const byDefault = functions.filter((declared) => ![...optional.values()].flat().includes(declared));
  files.set(`${folder}/access.yaml`, toFile(everyFunction, [toYaml(mayReadKeys(byDefault))]));
  for (const [system, members] of optional) {
    files.set(`${folder}/${system}/access.yaml`, toFile(everyFunction, [toYaml(mayReadKeys(members, system))]));
    const about = `After oidc, with the overlay ${system}: lets its functions read the API server's public keys, too.`;
    const parts = { resources: ["access.yaml"] };
    files.set(`${folder}/${system}/kustomization.yaml`, kustomizationFile("Component", parts, about));
  }
  const deadLetters = functions.some(({ name }) => name === deadLetterFunction);
  files.set(
    `${folder}/kustomization.yaml`,
    kustomizationFile(
      "Component",
      {
        resources: ["access.yaml"],
        patches: [
          ...functions.flatMap((declared) => patchesOf(declared, deadLetters, sendersTo(declared, functions))),
          ...functions.filter(({ name }) => name === sweepFunction).flatMap((sweep) => tokensFor(sweep, functions)),
        ],
      },
      "Functions take events only from Holdfast's own Triggers and sources: " +
        "brokers and the PingSource send a token that is valid for one function, " +
        "and the function checks its signature by the cluster's keys, its issuer, its audience, " +
        "its time and its subject. Needs authentication-oidc: enabled in Knative's ConfigMap config-features, " +
        "which is alpha. List it after options that have Triggers (pod-updates, for example); " +
        "with the overlay of an optional system also list the folder of its name beneath this one.",
    ),
  );
}

/** All service accounts may read the keys unless an administrator has removed that binding. */
function mayReadKeys(functions: readonly Declared[], system?: string): object {
  const group = "rbac.authorization.k8s.io";
  return {
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: {
      name: clusterWide(["token-keys", system].filter(Boolean).join("-")),
      labels: { "app.kubernetes.io/part-of": "holdfast" },
    },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "system:service-account-issuer-discovery" },
    subjects: functions.map(({ name }) => ({ kind: "ServiceAccount", name: slug(name), namespace })),
  };
}

function patchesOf({ name, triggers }: Declared, deadLetters: boolean, senders: readonly string[]): readonly Patch[] {
  const [system, member] = name.split("/");
  const labelSelector = `app.kubernetes.io/name=${system},app.kubernetes.io/component=${member}`;
  const environment = "/spec/template/spec/containers/0/env/-";
  const service: Patch = {
    target: { group: "serving.knative.dev", kind: "Service", name: slug(name) },
    patch: [
      add(environment, { name: "OIDC_AUDIENCE", value: audienceOf(name) }),
      add(environment, {
        name: "OIDC_SENDERS",
        value: senders.map((beginning) => `system:serviceaccount:${namespace}:${beginning}*`).join(","),
      }),
    ],
  };
  const subscribers: Patch = {
    target: { kind: "Trigger", labelSelector },
    patch: [
      add("/spec/subscriber/audience", audienceOf(name)),
      ...(deadLetters ? [add("/spec/delivery/deadLetterSink/audience", audienceOf(deadLetterFunction))] : []),
    ],
  };
  return triggers ? [service, subscribers] : [service];
}

/**
 * Where the kubelet puts the tokens that the sweep shows to brokers; each is named as the path of the broker's address.
 */
const tokens = "/var/run/holdfast/tokens";

/** The sweep is triggered by the PingSource, and sends to brokers, which ask for tokens, too. */
function tokensFor(sweep: Declared, functions: readonly Declared[]): readonly Patch[] {
  const { name } = sweep;
  const index = settingsOf(sweep).findIndex(({ variable }) => variable === "TOKENS");
  if (index < 0) throw new Error(`${name} has no setting for the tokens that brokers ask for.`);
  const variable = `/spec/template/spec/containers/0/env/${index}`;
  const sources = [...watchedKinds(functions).keys()].map((broker) => ({
    serviceAccountToken: {
      audience: `eventing.knative.dev/broker/${namespace}/${broker}`,
      expirationSeconds: 3600,
      path: `${namespace}/${broker}`,
    },
  }));
  return [
    {
      target: { kind: "PingSource", name: "sweep" },
      patch: [add("/spec/sink/audience", audienceOf(name))],
    },
    {
      target: { group: "serving.knative.dev", kind: "Service", name: slug(name) },
      patch: [
        { op: "test", path: `${variable}/name`, value: "TOKENS" },
        { op: "replace", path: `${variable}/value`, value: tokens },
        add("/spec/template/spec/containers/0/volumeMounts", [{ name: "tokens", mountPath: tokens, readOnly: true }]),
        add("/spec/template/spec/volumes", [{ name: "tokens", projected: { sources } }]),
      ],
    },
  ];
}
