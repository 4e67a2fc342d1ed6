import { type Random, seededRandom } from "../../../eventing/random.ts";
import type { Cascade, Operation } from "./operation.ts";
import { type Field, policies } from "./policy.ts";

/**
 * Another manager's Delete is taken back by Holdfast; more often than this on one set, and it gives way, as it should.
 */
const mostExplicit = 2;
const cascades: readonly Cascade[] = ["Background", "Background", "Foreground", "Orphan"];
const fields: readonly Field[] = (["Retain", "Delete"] as const).flatMap((whenDeleted) =>
  (["Retain", "Delete"] as const).map((whenScaled) => ({ whenDeleted, whenScaled })),
);

interface Cast {
  readonly sets: readonly { readonly name: string; readonly templates: readonly string[] }[];
  /** The set that users give policies: where two sets yield the names of the same claims, only one may delete. */
  readonly governed: string;
  /** Whether the namespace may have a policy: where it would rule both of them it must not. */
  readonly mayDefault: boolean;
}

/**
 * Two sets whose claims have the same names are taken now and then: which of them Kubernetes ties a claim to is a race.
 */
function drawCast(random: Random): Cast {
  const draw = random.next();
  if (draw < 0.7) {
    const templates = random.next() < 0.8 ? ["data"] : ["data", "logs"];
    return { sets: [{ name: "web", templates }], governed: "web", mayDefault: true };
  }
  const sets = [
    { name: "c", templates: ["data-b"] },
    { name: "b-c", templates: ["data"] },
  ];
  return { sets, governed: draw < 0.85 ? "c" : "b-c", mayDefault: false };
}

/** The operations of a seed: the same ones on every machine. */
export function drawSequence(seed: number): readonly Operation[] {
  const random = seededRandom(seed * 2_654_435_761);
  const { sets, governed, mayDefault } = drawCast(random);
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const explicit = new Map<string, number>();
  let revision = 0;
  let pods = 0;

  const policy = () => (random.next() < 0.05 ? "retain" : pick(policies));
  const set = () => pick(sets);
  const claimName = () => {
    const { name, templates } = set();
    const ordinal = random.next() < 0.15 ? 2024 : random.below(5);
    return `${pick(templates)}-${name}-${ordinal}`;
  };
  const applied = (name: string): Field | undefined => {
    const count = explicit.get(name) ?? 0;
    if (count >= mostExplicit) return undefined;
    explicit.set(name, count + 1);
    return pick(fields);
  };

  function create({ name, templates } = set()): Operation {
    const ruled = name === governed;
    const field = ruled && random.next() < 0.2 ? applied(name) : undefined;
    return {
      do: "create",
      set: name,
      replicas: 1 + random.below(3),
      templates,
      ...(random.next() < 0.3 ? { stopsAfter: 3_000 } : {}),
      ...(ruled && random.next() < 0.7 ? { annotation: policy() } : {}),
      ...(field ? { explicit: field } : {}),
    };
  }

  const scale = (): Operation[] => [
    {
      do: "scale",
      set: set().name,
      replicas: random.below(5),
      ...(random.next() < 0.1 ? { start: random.below(2) } : {}),
    },
  ];
  const remove = (): Operation[] => {
    const { name, templates } = set();
    explicit.delete(name);
    const again: Operation[] = random.next() < 0.8 ? [create({ name, templates })] : [];
    return [{ do: "delete", set: name, cascade: pick(cascades) }, ...again];
  };
  const annotate = (): Operation[] => [
    { do: "annotate", set: governed, policy: random.next() < 0.15 ? null : policy() },
  ];
  const byDefault = (): Operation[] =>
    mayDefault ? [{ do: "default", policy: random.next() < 0.25 ? null : policy() }] : annotate();
  const apply = (): Operation[] => {
    const field = applied(governed);
    return field ? [{ do: "apply", set: governed, field }] : [];
  };
  const restart = (): Operation[] => [
    { do: "restart", pod: `${set().name}-${random.below(3)}`, force: random.next() < 0.3 },
  ];
  const roll = (): Operation[] => [{ do: "roll", set: set().name, revision: ++revision }];
  const claim = (): Operation[] => {
    const name = claimName();
    const labels = pick([{ app: governed }, { app: "reports" }, {}]);
    // A pod without an owner on a claim that a set is going to use would share a volume that only one may mount.
    const mounted = name.endsWith("-2024") && random.next() < 0.7;
    return [{ do: "claim", name, labels, ...(mounted ? { pod: `reports-${++pods}` } : {}) }];
  };
  // Where a set's pod mounts it still, the other set's could never come.
  const deleteClaim = (): Operation[] => (sets.length > 1 ? [] : [{ do: "deleteClaim", name: claimName() }]);
  const relabel = (): Operation[] => [{ do: "relabel", claim: claimName(), app: pick(["reports", null]) }];
  const rest = (): Operation[] => [{ do: "rest" }];

  /** Claims that are left behind while they are kept, and a policy that turns on the set as a whole. */
  const leaveBehind = (): Operation[] => [
    { do: "annotate", set: governed, policy: pick(["Retain", "DeleteOnScaledownOnly"]) },
    { do: "scale", set: governed, replicas: 3 },
    ...(random.next() < 0.5 ? rest() : []),
    { do: "annotate", set: governed, policy: "Retain" },
    { do: "scale", set: governed, replicas: 1 },
    ...(random.next() < 0.3 ? relabel() : claim()),
    {
      do: "annotate",
      set: governed,
      policy: pick(["DeleteOnStatefulSetDeletionOnly", "DeleteOnScaledownAndStatefulSetDeletion"]),
    },
    ...(random.next() < 0.7 ? rest() : []),
    ...(random.next() < 0.3 ? annotate() : []),
    { do: "delete", set: governed, cascade: pick(cascades) },
  ];

  const weighted: readonly (readonly [number, () => Operation[]])[] = [
    [6, scale],
    [3, remove],
    [5, annotate],
    [3, byDefault],
    [2, apply],
    [2, restart],
    [1, roll],
    [4, claim],
    [1, deleteClaim],
    [1, relabel],
    [3, rest],
    [2, leaveBehind],
  ];
  const urn = weighted.flatMap(([weight, draw]) => Array.from({ length: weight }, () => draw));
  const operations: Operation[] = sets.map((each) => create(each));
  if (mayDefault && random.next() < 0.4) operations.unshift({ do: "default", policy: policy() });
  const length = 6 + random.below(8);
  while (operations.length < length) operations.push(...pick(urn)());
  return operations;
}
