import { StatefulSet } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../../shared/kubernetes/object.ts";
import { ConfigMap, Namespace } from "../../../worlds/kinds.ts";
import { configMap, manifest } from "../../../worlds/manifest.ts";
import { pick } from "../../faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import type { Stage } from "../../stage.ts";
import { policyKey } from "../history.ts";

/** What every scenario of sets needs besides binder, scheduler, kubelet and claim protection; and project reads who manages the field. */
export const withSets = {
  controllers: ["statefulset-controller", "garbage-collector-controller"],
  managedFields: true,
} satisfies Partial<Scenario>;

export const policies = [
  "Retain",
  "DeleteOnStatefulSetDeletionOnly",
  "DeleteOnScaledownOnly",
  "DeleteOnScaledownAndStatefulSetDeletion",
] as const;

export const propagations = ["Background", "Foreground", "Orphan"] as const;

export interface SetOptions {
  readonly replicas?: number;
  readonly policy?: string;
  readonly spec?: Record<string, unknown>;
  readonly finalizers?: readonly string[];
  /** The name of its volumeClaimTemplate. */
  readonly template?: string;
}

/** Creates a set with one claim per pod, all of its pods at once: OrderedReady is the slower, not the harder case. */
export function createSet(stage: Stage, name: string, options: SetOptions = {}): Promise<void> {
  const { replicas = 2, policy, spec = {}, template = "data", finalizers = [] } = options;
  const { namespace } = stage;
  const labels = { app: name };
  const annotations = policy ? { [policyKey]: policy } : {};
  const set = manifest(
    StatefulSet,
    { namespace, name, annotations, finalizers: [...finalizers] },
    {
      spec: {
        replicas,
        serviceName: name,
        podManagementPolicy: "Parallel",
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [{ name: "main", image: "registry.example/main:1" }],
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: template },
            spec: {
              accessModes: ["ReadWriteOnce"],
              storageClassName: "standard",
              resources: { requests: { storage: "1Gi" } },
            },
          },
        ],
        ...spec,
      },
    },
  );
  const what = `creates set ${name} of ${replicas}${policy ? ` with ${policy}` : ""}`;
  return stage.attempt(what, (client) => client.create(StatefulSet, set));
}

export function patchSet(stage: Stage, name: string, what: string, patch: object): Promise<void> {
  return stage.attempt(`${what} of set ${name}`, (client, namespace) =>
    client.patch(StatefulSet, namespace, name, "merge", patch),
  );
}

export const scale = (stage: Stage, name: string, replicas: number) =>
  patchSet(stage, name, `makes ${replicas} the replicas`, { spec: { replicas } });

/** `null` takes the policy away. */
export const setPolicy = (stage: Stage, name: string, policy: string | null) =>
  patchSet(stage, name, `makes ${policy} the policy`, { metadata: { annotations: { [policyKey]: policy } } });

export function setDefaultPolicy(stage: Stage, policy: string | null): Promise<void> {
  return stage.attempt(`makes ${policy} the policy of the namespace`, (client, namespace) =>
    client.patch(Namespace, undefined, namespace, "merge", { metadata: { annotations: { [policyKey]: policy } } }),
  );
}

export function deleteSet(stage: Stage, name: string, propagationPolicy: (typeof propagations)[number]): Promise<void> {
  return stage.attempt(`deletes set ${name} (${propagationPolicy})`, (client, namespace) =>
    client.delete(StatefulSet, namespace, name, { propagationPolicy }),
  );
}

/** Deletes it as a user might, in one of the ways there are. */
export const deleteSomehow = (stage: Stage, name: string) => deleteSet(stage, name, pick(stage.random, propagations));

/** A reference to something of the user's own, which lives as long as the run. */
export async function usersOwner(stage: Stage, controller?: boolean): Promise<OwnerReference> {
  let owner: KubernetesObject | undefined;
  await stage.attempt("creates ConfigMap keeper", async (client, namespace) => {
    owner = await client.create(
      ConfigMap,
      configMap({ namespace, name: `keeper-${controller ? "controls" : "owns"}` }),
    );
  });
  const { name = "", uid = "" } = owner?.metadata ?? {};
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, ...(controller ? { controller } : {}) };
}

/** For `Stage.until`: the set wants this many pods, and all of them run. */
export const runs =
  (name: string, replicas: number) =>
  async (stage: Stage): Promise<boolean> => {
    const set = (await stage.list(StatefulSet)).find(({ metadata }) => metadata.name === name);
    const { readyReplicas = 0, replicas: there = 0 } = (set?.status ?? {}) as {
      readyReplicas?: number;
      replicas?: number;
    };
    return readyReplicas === replicas && there === replicas;
  };

/** For `Stage.until`: no set of this name. */
export const setIsGone =
  (name: string) =>
  async (stage: Stage): Promise<boolean> =>
    !(await stage.list(StatefulSet)).some(({ metadata }) => metadata.name === name);

/** Longer than what the rules do about a change takes where nothing goes wrong, or not. */
export const awhile = (stage: Stage) => stage.pause(pick(stage.random, [0, 1_000, 8_000]));

/** 20 seconds: longer than anybody takes where nothing goes wrong. */
export const long = (stage: Stage) => stage.until(async () => false);
