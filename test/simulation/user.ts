import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { type Kind, PersistentVolumeClaim, Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../shared/kubernetes/object.ts";
import { kubeletNode } from "../harness/cluster-objects.ts";
import { Namespace } from "../harness/kinds.ts";
import { claim, pod } from "../harness/manifest.ts";
import { shop } from "../harness/simulated/namespace.ts";
import type { SimulatedSystem } from "../harness/simulated/simulated-system.ts";
import type { Trace } from "../harness/simulated/trace.ts";

/** What the users of a scenario can do. What the API server refuses is written down and passed over. */
export interface User {
  readonly random: Random;
  readonly namespace: string;
  /** The external system that the functions of a system use. */
  outside(system: string): SimulatedSystem;
  /** Does what the other calls do not, and writes `what` down: "creates set web". */
  attempt(what: string, act: (client: Client, namespace: string) => Promise<unknown>): Promise<void>;
  /** Of the scenario's namespace where no other is named. */
  list(kind: Kind, within?: string): Promise<readonly KubernetesObject[]>;
  /** Waits for up to so many milliseconds, drawn. */
  pause(most: number): Promise<void>;
  /** Waits for so many milliseconds. */
  sleep(ms: number): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Creates a claim with a volume behind it. */
  createClaim(name: string, metadata?: Partial<ObjectMeta>): Promise<void>;
  /** Creates a pod that mounts these claims; the scheduler gives it its node, unless `spec` says otherwise. */
  createPod(name: string, claims: readonly string[], options?: PodOptions): Promise<void>;
  /** Gives a pod its node, as a scheduler with an old view would. */
  bind(name: string): Promise<void>;
  deleteClaim(name: string): Promise<void>;
  deletePod(name: string, options?: { force?: boolean }): Promise<void>;
  deleteNamespace(): Promise<void>;
  /** Merge-patches a claim. */
  patchClaim(name: string, patch: object): Promise<void>;
  patchPod(name: string, patch: object): Promise<void>;
  /** Takes one finalizer off a claim, as an impatient user does. */
  strip(claim: string, finalizer: string): Promise<void>;
  claims(): Promise<readonly KubernetesObject[]>;
  pods(): Promise<readonly KubernetesObject[]>;
  /** Waits until a claim is bound, a pod runs, ...; gives up after 20 seconds. */
  until(what: (user: User) => Promise<boolean>): Promise<void>;
}

export interface PodOptions {
  /** No scheduler looks at it. */
  readonly byHand?: boolean;
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: Record<string, unknown>;
}

/** What one user can do, with draws of its own. */
export function createUser(
  client: Client,
  clock: Clock,
  random: Random,
  trace: Trace,
  outsides: ReadonlyMap<string, SimulatedSystem>,
  who = "user",
): User {
  const namespace = shop;
  async function attempt(what: string, act: (client: Client, namespace: string) => Promise<unknown>): Promise<void> {
    try {
      await act(client, namespace);
      trace.add(who, what);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      trace.add(who, `${what}: refused, ${error.status} ${error.reason}`);
    }
  }
  const user: User = {
    random,
    namespace,
    outside(system) {
      const found = outsides.get(system);
      if (!found) throw new Error(`${system} uses no external system in this run.`);
      return found;
    },
    attempt,
    list: (kind, within = namespace) => Array.fromAsync(client.list(kind, { namespace: within })),
    sleep: (ms) => clock.sleep(ms),
    now: () => clock.now(),
    pause: (most) => clock.sleep(random.below(most)),
    createClaim: (name, metadata = {}) =>
      attempt(`creates claim ${name}`, () =>
        client.create(PersistentVolumeClaim, claim({ namespace, name, ...metadata }, { storageClassName: "standard" })),
      ),
    createPod: (name, claims, { byHand = false, metadata = {}, spec = {} } = {}) => {
      const scheduled = byHand ? {} : { schedulerName: "default-scheduler" };
      const object = pod({ namespace, name, ...metadata }, claims, { ...scheduled, ...spec });
      return attempt(`creates pod ${name} with ${claims.join(", ") || "no claims"}`, () => client.create(Pod, object));
    },
    bind: (name) =>
      attempt(`binds pod ${name}`, () =>
        client.request("POST", pathOf(Pod, namespace, name, "binding"), {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name },
          target: { apiVersion: "v1", kind: "Node", name: kubeletNode },
        }),
      ),
    deleteClaim: (name) =>
      attempt(`deletes claim ${name}`, () => client.delete(PersistentVolumeClaim, namespace, name)),
    deletePod: (name, { force = false } = {}) =>
      attempt(`deletes pod ${name}${force ? " by force" : ""}`, () =>
        client.delete(Pod, namespace, name, force ? { gracePeriodSeconds: 0 } : {}),
      ),
    deleteNamespace: () => attempt("deletes the namespace", () => client.delete(Namespace, undefined, namespace)),
    patchClaim: (name, patch) =>
      attempt(`patches claim ${name} with ${JSON.stringify(patch)}`, () =>
        client.patch(PersistentVolumeClaim, namespace, name, "merge", patch),
      ),
    patchPod: (name, patch) =>
      attempt(`patches pod ${name} with ${JSON.stringify(patch)}`, () =>
        client.patch(Pod, namespace, name, "merge", patch),
      ),
    strip: (name, finalizer) =>
      attempt(`takes ${finalizer} off claim ${name}`, () =>
        client.patch(PersistentVolumeClaim, namespace, name, "strategic", {
          metadata: { "$deleteFromPrimitiveList/finalizers": [finalizer] },
        }),
      ),
    claims: () => user.list(PersistentVolumeClaim),
    pods: () => user.list(Pod),
    async until(what) {
      for (let round = 0; round < 800; round++) {
        if (await what(user)) return;
        await clock.sleep(25);
      }
    },
  };
  return user;
}

/** For {@link User.until}: a pod that is in this phase. */
export const podIs =
  (name: string, phase: string) =>
  async (user: User): Promise<boolean> =>
    (await user.pods()).some(
      ({ metadata, status }) => metadata.name === name && (status as { phase?: string } | undefined)?.phase === phase,
    );

/** For {@link User.until}: a claim with a volume. */
export const claimIsBound =
  (name: string) =>
  async (user: User): Promise<boolean> =>
    (await user.claims()).some(
      ({ metadata, status }) => metadata.name === name && (status as { phase?: string } | undefined)?.phase === "Bound",
    );

/** For {@link User.until}: no claim of this name. */
export const claimIsGone =
  (name: string) =>
  async (user: User): Promise<boolean> =>
    !(await user.claims()).some(({ metadata }) => metadata.name === name);

/** For {@link User.until}: no pod of this name. */
export const podIsGone =
  (name: string) =>
  async (user: User): Promise<boolean> =>
    !(await user.pods()).some(({ metadata }) => metadata.name === name);
