import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { Namespace, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { claim, manifest, pod } from "../../harness/manifest.ts";
import type { Operation } from "../sequence/operation.ts";
import { type Field, policyKey } from "../sequence/policy.ts";

/** Who applies explicit values: a GitOps controller whole sets, an operator the field alone. */
const gitops = { fieldManager: "gitops", force: true };
const operator = { fieldManager: "operator", force: true };
/** What the kubelet of the laptop edition obeys, which runs the pods of either kind of world. */
const stopAfter = "laptop.holdfast.dev/stop-after";
const storage = { storageClassName: "standard" };

/** A user of one namespace. Every call answers what the API server did, or in what words it refused. */
export interface User {
  /** Does an operation; of `create`, `field` is what the set is created with. */
  perform(op: Operation, field?: Field): Promise<Outcome>;
  /** Writes the field of a set, as a user of plain Kubernetes does. */
  write(set: string, field: Field): Promise<Outcome>;
}

/** What came of a call: the object, or why there is none. */
export interface Outcome {
  readonly object?: KubernetesObject | undefined;
  readonly refused?: string;
}

/**
 * `annotates`: whether policies are said as annotations; where not, such operations do nothing here, and the field is
 * written instead.
 */
export function createUser(client: Client, namespace: string, annotates: boolean): User {
  const patchSet = (name: string, patch: object) =>
    attempt(() => client.patch(StatefulSet, namespace, name, "merge", patch));
  const annotated = (policy: string | null) => ({ metadata: { annotations: { [policyKey]: policy } } });
  const apply = (name: string, object: object, manager: typeof operator) =>
    attempt(() => client.patch(StatefulSet, namespace, name, "apply", object, manager));

  async function perform(op: Operation, field?: Field): Promise<Outcome> {
    switch (op.do) {
      case "create": {
        const set = setObject(namespace, op, annotates, field);
        return op.explicit && annotates ? apply(op.set, set, gitops) : attempt(() => client.create(StatefulSet, set));
      }
      case "scale":
        return patchSet(op.set, {
          spec: { replicas: op.replicas, ...(op.start === undefined ? {} : { ordinals: { start: op.start } }) },
        });
      case "delete":
        return attempt(() =>
          client.delete(StatefulSet, namespace, op.set, { propagationPolicy: op.cascade }).then(() => undefined),
        );
      case "annotate":
        return annotates ? patchSet(op.set, annotated(op.policy)) : {};
      case "default":
        return annotates
          ? attempt(() => client.patch(Namespace, undefined, namespace, "merge", annotated(op.policy)))
          : {};
      case "apply": {
        const spec = { persistentVolumeClaimRetentionPolicy: op.field };
        return annotates ? apply(op.set, manifest(StatefulSet, { namespace, name: op.set }, { spec }), operator) : {};
      }
      case "restart":
        return attempt(() =>
          client.delete(Pod, namespace, op.pod, op.force ? { gracePeriodSeconds: 0 } : {}).then(() => undefined),
        );
      case "roll": {
        const metadata = { annotations: { revision: String(op.revision) } };
        return patchSet(op.set, { spec: { template: { metadata } } });
      }
      case "claim": {
        const made = await attempt(() =>
          client.create(PersistentVolumeClaim, claim({ namespace, name: op.name, labels: { ...op.labels } }, storage)),
        );
        const reader = op.pod && pod({ namespace, name: op.pod }, [op.name], { schedulerName: "default-scheduler" });
        if (reader) await attempt(() => client.create(Pod, reader));
        return made;
      }
      case "deleteClaim":
        return attempt(() => client.delete(PersistentVolumeClaim, namespace, op.name).then(() => undefined));
      case "relabel":
        return attempt(() =>
          client.patch(PersistentVolumeClaim, namespace, op.claim, "merge", { metadata: { labels: { app: op.app } } }),
        );
      case "pass":
      case "rest":
        return {};
    }
  }

  return {
    perform,
    write: (set, field) => patchSet(set, { spec: { persistentVolumeClaimRetentionPolicy: field } }),
  };
}

function setObject(
  namespace: string,
  {
    set: name,
    replicas,
    templates,
    annotation,
    annotations: further,
    explicit,
    stopsAfter = 0,
  }: Extract<Operation, { do: "create" }>,
  annotates: boolean,
  field: Field | undefined,
): KubernetesObject {
  const labels = { app: name };
  const policy = annotates && annotation !== undefined ? { [policyKey]: annotation } : {};
  const value = annotates ? explicit : field;
  return manifest(
    StatefulSet,
    { namespace, name, annotations: { ...further, ...policy } },
    {
      spec: {
        replicas,
        serviceName: name,
        podManagementPolicy: "Parallel",
        selector: { matchLabels: labels },
        ...(value ? { persistentVolumeClaimRetentionPolicy: value } : {}),
        template: {
          metadata: { labels, ...(stopsAfter ? { annotations: { [stopAfter]: `${stopsAfter}ms` } } : {}) },
          spec: {
            terminationGracePeriodSeconds: Math.max(1, Math.ceil(stopsAfter / 1_000)),
            containers: [{ name: "main", image: "registry.example/main:1" }],
          },
        },
        volumeClaimTemplates: templates.map((template) => ({
          metadata: { name: template },
          spec: {
            accessModes: ["ReadWriteOnce"],
            ...storage,
            resources: { requests: { storage: "1Gi" } },
          },
        })),
      },
    },
  );
}

async function attempt(call: () => Promise<KubernetesObject | undefined>): Promise<Outcome> {
  try {
    return { object: await call() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { refused: `${error.status} ${error.reason}` };
  }
}
