import fc from "fast-check";
import { seededRandom } from "../../eventing/random.ts";
import { policyKey } from "../../functions/pvc-retention/lib/policy.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { progressKey } from "../../shared/progress.ts";
import { holdfastProtection } from "../../shared/storage/protection.ts";
import { functions } from "../harness/functions.ts";
import { Namespace, StatefulSet } from "../harness/kinds.ts";
import { claim, manifest, pod, statefulSet } from "../harness/manifest.ts";
import { withoutSystems } from "./without-systems.ts";

const namespace = "shop";
const inUse = "data-web-0";

/** Objects with what another writer, a newer version or a slip of the hand may have written on them. */
export interface Odd {
  /** Up to 253 characters, with dots. */
  readonly name: string;
  /** Of others, on the odd claim. */
  readonly finalizers: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  /** The claims carry the finalizer of Kubernetes as well, which no controller removes here. */
  readonly inTree: boolean;
  /** The claims are being deleted, and the set is. */
  readonly deleted: boolean;
}

const ours = [...Object.keys(functions).map(progressKey), policyKey];

const written = fc.oneof(
  fc.string(),
  fc.json(),
  fc.constantFrom("", "null", "[]", '{"v":1}', "Retain", "DeleteOnScaledownOnly", "2026-01-01T00:00:00Z"),
  fc.constant(JSON.stringify({ v: 3, uid: "u", step: "held", since: "2026-01-01T00:00:00Z", because: "" })),
  fc.constant(JSON.stringify({ v: 1, uid: "u", step: "held", since: "never", because: "x".repeat(5000) })),
);

export const odd: fc.Arbitrary<Odd> = fc.record({
  name: fc
    .array(fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/), { minLength: 1, maxLength: 20 })
    .map((parts) =>
      parts
        .join(".")
        .slice(0, 253)
        .replace(/[.-]+$/, ""),
    ),
  finalizers: fc.uniqueArray(
    fc.nat(999).map((number) => `example.com/${number}`),
    { maxLength: 200 },
  ),
  annotations: fc.dictionary(fc.constantFrom(...ours), written, { maxKeys: 4 }),
  inTree: fc.boolean(),
  deleted: fc.boolean(),
});

/** What stands on the objects before and after. */
export interface Seen {
  readonly reply: HttpResponse;
  /** Whether the claim that a pod uses is there, with every finalizer that it had. */
  readonly used: boolean;
  /** The finalizers of others on the odd claim, in order; `undefined` when it is gone. */
  readonly finalizers: readonly string[] | undefined;
}

/** Gives one request to a function in a cluster with odd objects. */
export async function give(name: string, request: HttpRequest, odd: Odd): Promise<Seen> {
  const clock = virtualClock();
  const client = createClient(
    createApiServer({ clock, random: seededRandom(1), objectInUseProtection: odd.inTree }).handle,
    { clock },
  );
  const { annotations } = odd;
  await client.create(Namespace, manifest(Namespace, { name: namespace, annotations }));
  const create = (kind: Kind, object: KubernetesObject) => client.create(kind, object);
  const metadata = { namespace, annotations };
  const kept = [holdfastProtection];
  await create(PersistentVolumeClaim, claim({ ...metadata, name: inUse, finalizers: kept }));
  await create(PersistentVolumeClaim, claim({ ...metadata, name: odd.name, finalizers: [...odd.finalizers, ...kept] }));
  await create(Pod, pod({ ...metadata, name: "web-0" }, [inUse], { nodeName: "one" }));
  await create(StatefulSet, statefulSet({ ...metadata, name: "web" }));
  if (odd.deleted) {
    await client.delete(PersistentVolumeClaim, namespace, inUse);
    await client.delete(PersistentVolumeClaim, namespace, odd.name);
    await client.delete(StatefulSet, namespace, "web", { propagationPolicy: "Foreground" });
  }
  const before = await client.get<KubernetesObject>(PersistentVolumeClaim, namespace, inUse);

  const handle = withoutSystems(name, client, clock);
  const reply = await outcomeOf(clock, handle(request), 300_000);

  const after = await client.get<KubernetesObject>(PersistentVolumeClaim, namespace, inUse);
  const other = await client.get<KubernetesObject>(PersistentVolumeClaim, namespace, odd.name);
  const left = after?.metadata.finalizers ?? [];
  return {
    reply,
    used: (before?.metadata.finalizers ?? []).every((finalizer) => left.includes(finalizer)),
    finalizers: other?.metadata.finalizers?.filter((finalizer) => finalizer.startsWith("example.com/")),
  };
}

/** The kinds that events are about: each kind that triggers a function, and one that triggers none. */
export const triggering = fc.oneof(
  odd.map(({ name, annotations }) => claim({ namespace, name, annotations })),
  fc.constant(claim({ namespace, name: inUse, finalizers: [holdfastProtection], uid: "u1", resourceVersion: "1" })),
  fc.constant(pod({ namespace, name: "web-0", uid: "u2", resourceVersion: "1" }, [inUse], { nodeName: "one" })),
  odd.map(({ annotations }) => statefulSet({ namespace, name: "web", annotations })),
  fc.constant(manifest(Namespace, { name: namespace, uid: "u3", resourceVersion: "1" })),
);
