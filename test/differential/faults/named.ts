import type { Operation } from "../sequence/operation.ts";
import { keeps } from "../sequence/policy.ts";
import type { Stall } from "../worlds/stalls.ts";

/** A request of a function, as far as a named fault looks at it. */
export interface Asked {
  readonly rule: string;
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
}

/** A sequence in which PVC retention was once less safe than plain Kubernetes. */
export interface NamedFault {
  readonly name: string;
  readonly sequence: readonly Operation[];
  /** With the admission policy; without it otherwise. */
  readonly admissionPolicy?: true;
  /** The user relies on what he has said at once, because the admission policy is there. */
  readonly hasty?: true;
  /** It was seen on a real control plane, and is played there as well. */
  readonly real?: true;
  readonly stall?: (asked: Asked) => Stall | undefined;
}

const data = ["data"];
const deletes = { whenDeleted: "Delete", whenScaled: "Delete" } as const;
const both = "DeleteOnScaledownAndStatefulSetDeletion";
const rest = { do: "rest" } as const;
const applied = { do: "apply", set: "web", field: keeps } as const;
const restored = (name: string, app = "web") => ({ do: "claim", name, labels: { app } }) as const;

/** The faults, each as short as it was found. */
export const namedFaults: readonly NamedFault[] = [
  {
    name: "1: a claim that waits for a scale-up is not one that was scaled away",
    real: true,
    sequence: [
      { do: "create", set: "web", replicas: 2, templates: data, annotation: "DeleteOnScaledownOnly" },
      rest,
      restored("data-web-2"),
      { do: "restart", pod: "web-0", force: false },
      rest,
      { do: "scale", set: "web", replicas: 3 },
      rest,
    ],
  },
  {
    name: "2: a claim with a set's name, and with the labels and the pod of another owner, is not the set's",
    real: true,
    sequence: [
      { do: "create", set: "web", replicas: 1, templates: data, annotation: "DeleteOnStatefulSetDeletionOnly" },
      { do: "claim", name: "data-web-2024", labels: { app: "reports" }, pod: "reports-1" },
      rest,
      { do: "annotate", set: "web", policy: "DeleteOnScaledownOnly" },
      rest,
      { do: "delete", set: "web", cascade: "Background" },
      rest,
    ],
  },
  {
    name: "3: of two sets whose claims have the same names neither takes those of the other along",
    real: true,
    sequence: [
      { do: "create", set: "c", replicas: 1, templates: ["data-b"], annotation: both },
      { do: "create", set: "b-c", replicas: 3, templates: data, annotation: "Retain" },
      rest,
      { do: "delete", set: "b-c", cascade: "Background" },
      rest,
      { do: "delete", set: "c", cascade: "Background" },
      rest,
    ],
  },
  {
    name: "4: a set that is made again with fewer replicas while the old pods stop was not scaled down",
    real: true,
    sequence: [
      {
        do: "create",
        set: "web",
        replicas: 3,
        templates: data,
        annotation: "DeleteOnScaledownOnly",
        stopsAfter: 5_000,
        annotations: { "holdfast.dev/pvc-delete-after": "1s" },
      },
      rest,
      { do: "delete", set: "web", cascade: "Background" },
      {
        do: "create",
        set: "web",
        replicas: 1,
        templates: data,
        annotation: "DeleteOnScaledownOnly",
        stopsAfter: 5_000,
        annotations: { "holdfast.dev/pvc-delete-after": "1s" },
      },
      rest,
    ],
  },
  {
    name: "5: a claim that was declared kept is not tied to its set by a function that is late",
    real: true,
    sequence: [
      { do: "create", set: "web", replicas: 20, templates: data, annotation: "Retain" },
      rest,
      { do: "scale", set: "web", replicas: 1 },
      rest,
      { do: "annotate", set: "web", policy: "DeleteOnStatefulSetDeletionOnly" },
      { do: "pass", ms: 8_000 },
      { do: "delete", set: "web", cascade: "Orphan" },
      { do: "pass", ms: 25_000 },
      rest,
    ],
    // Claims are tied several at a time. The answers to the first ones are late: the set is gone, and its claims are
    // kept, when the last ones are to be tied. A claim that is tied then is garbage.
    stall: ({ rule, method, path, body }) =>
      rule === "pvc-retention/set-owner" &&
      method === "PATCH" &&
      path.includes("/persistentvolumeclaims/") &&
      body?.includes("ownerReferences")
        ? { after: 25_000 }
        : undefined,
  },
  {
    name: "6: a Retain that another manager applies outranks a namespace that deletes",
    real: true,
    sequence: [
      { do: "default", policy: both },
      { do: "create", set: "web", replicas: 3, templates: data, explicit: keeps },
      rest,
      { do: "scale", set: "web", replicas: 1 },
      rest,
    ],
  },
  {
    name: "6: a Retain that another manager insists on is what is in force",
    sequence: [
      { do: "create", set: "web", replicas: 3, templates: data, annotation: both },
      rest,
      ...[1, 2, 3, 4].flatMap(() => [applied, rest]),
      { do: "scale", set: "web", replicas: 1 },
      rest,
      { do: "delete", set: "web", cascade: "Background" },
      rest,
    ],
  },
  {
    name:
      "7: claims of replicas that were scaled away under Retain do not go when the policy turns, " +
      "nor when it turns back",
    sequence: [
      { do: "create", set: "web", replicas: 20, templates: data, annotation: "Retain" },
      { do: "scale", set: "web", replicas: 1 },
      rest,
      { do: "annotate", set: "web", policy: "DeleteOnScaledownOnly" },
      { do: "pass", ms: 1_000 },
      { do: "annotate", set: "web", policy: "Retain" },
      rest,
    ],
  },
  {
    name: "7: a set that keeps its claims keeps them while project fails",
    admissionPolicy: true,
    hasty: true,
    sequence: [
      { do: "create", set: "web", replicas: 2, templates: data, annotation: "Retain", explicit: deletes },
      { do: "delete", set: "web", cascade: "Background" },
      rest,
    ],
    stall: ({ rule }) => (rule === "pvc-retention/sync-policy" ? { before: 3_600_000 } : undefined),
  },
];
