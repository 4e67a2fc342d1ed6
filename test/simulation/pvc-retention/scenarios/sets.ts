import { StatefulSet } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../../shared/kubernetes/object.ts";
import { pick } from "../../../harness/faults/api.ts";
import { ConfigMap, Namespace } from "../../../harness/kinds.ts";
import { claim, configMap, manifest } from "../../../harness/manifest.ts";
import type { Scenario } from "../../scenario.ts";
import type { User } from "../../user.ts";
import { policyKey } from "../history.ts";
import { byDefault } from "../settings.ts";

/**
 * What every scenario of sets needs besides binder, scheduler, kubelet and claim protection; and project reads who
 * manages the field.
 */
export const withSets = {
  setting: byDefault,
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
export function createSet(user: User, name: string, options: SetOptions = {}): Promise<void> {
  const { replicas = 2, policy, spec = {}, template = "data", finalizers = [] } = options;
  const { namespace } = user;
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
        volumeClaimTemplates: [claim({ name: template }, { storageClassName: "standard" })],
        ...spec,
      },
    },
  );
  const what = `creates set ${name} of ${replicas}${policy ? ` with ${policy}` : ""}`;
  return user.attempt(what, (client) => client.create(StatefulSet, set));
}

/** Creates a set, and waits until all of its pods run. */
export async function runSet(user: User, name: string, options: SetOptions = {}): Promise<void> {
  await createSet(user, name, options);
  await user.until(runs(name, options.replicas ?? 2));
}

export function patchSet(user: User, name: string, what: string, patch: object): Promise<void> {
  return user.attempt(`${what} of set ${name}`, (client, namespace) =>
    client.patch(StatefulSet, namespace, name, "merge", patch),
  );
}

export const scale = (user: User, name: string, replicas: number) =>
  patchSet(user, name, `makes ${replicas} the replicas`, { spec: { replicas } });

/** `null` takes the policy away. */
export const setPolicy = (user: User, name: string, policy: string | null) =>
  patchSet(user, name, `makes ${policy} the policy`, { metadata: { annotations: { [policyKey]: policy } } });

export function setDefaultPolicy(user: User, policy: string | null): Promise<void> {
  return user.attempt(`makes ${policy} the policy of the namespace`, (client, namespace) =>
    client.patch(Namespace, undefined, namespace, "merge", { metadata: { annotations: { [policyKey]: policy } } }),
  );
}

export function deleteSet(user: User, name: string, propagationPolicy: (typeof propagations)[number]): Promise<void> {
  return user.attempt(`deletes set ${name} (${propagationPolicy})`, (client, namespace) =>
    client.delete(StatefulSet, namespace, name, { propagationPolicy }),
  );
}

/** Deletes it as a user might, in one of the ways there are. */
export const deleteSomehow = (user: User, name: string) => deleteSet(user, name, pick(user.random, propagations));

/** Deletes it in one of these ways, and waits until it is gone. */
export async function removeSet(user: User, name: string): Promise<void> {
  await deleteSomehow(user, name);
  await user.until(setIsGone(name));
}

/** A reference to something of the user's own, which lives as long as the run. */
export async function usersOwner(user: User, controller?: boolean): Promise<OwnerReference> {
  let owner: KubernetesObject | undefined;
  await user.attempt("creates ConfigMap keeper", async (client, namespace) => {
    owner = await client.create(
      ConfigMap,
      configMap({ namespace, name: `keeper-${controller ? "controls" : "owns"}` }),
    );
  });
  const { name = "", uid = "" } = owner?.metadata ?? {};
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, ...(controller ? { controller } : {}) };
}

/** For `User.until`: the set wants this many pods, and all of them run. */
export const runs =
  (name: string, replicas: number) =>
  async (user: User): Promise<boolean> => {
    const set = (await user.list(StatefulSet)).find(({ metadata }) => metadata.name === name);
    const { readyReplicas = 0, replicas: there = 0 } = (set?.status ?? {}) as {
      readyReplicas?: number;
      replicas?: number;
    };
    return readyReplicas === replicas && there === replicas;
  };

/** For `User.until`: no set of this name. */
export const setIsGone =
  (name: string) =>
  async (user: User): Promise<boolean> =>
    !(await user.list(StatefulSet)).some(({ metadata }) => metadata.name === name);

/** Longer than what the rules do about a change takes where nothing goes wrong, or not. */
export const awhile = (user: User) => user.pause(pick(user.random, [0, 1_000, 8_000]));

/** 20 seconds: longer than anybody takes where nothing goes wrong. */
export const long = (user: User) => user.until(async () => false);
