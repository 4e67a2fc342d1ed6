import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Features } from "../features.ts";
import { type EventingKind, type PlanOf, readPlan } from "../manifest/read-plan.ts";
import { Unobeyable } from "../manifest/unobeyable.ts";

/** An object as it was declared last: what it asks for, or why that is not obeyed. */
type Declared<K extends EventingKind = EventingKind> =
  | { readonly object: KubernetesObject; readonly plan: PlanOf<K>; readonly problem?: never }
  | { readonly object: KubernetesObject; readonly problem: string; readonly plan?: never };

/** All objects of Knative Eventing that are known, by kind and `namespace/name`. */
export interface Declarations {
  /** Takes an object as it is now; returns whether it asks for something else than before. */
  set(object: KubernetesObject): boolean;
  delete(kind: EventingKind, key: string): void;
  get<K extends EventingKind>(kind: K, key: string): Declared<K> | undefined;
  /** Those that can be obeyed, by name. */
  plans<K extends EventingKind>(kind: K): { key: string; object: KubernetesObject; plan: PlanOf<K> }[];
}

export function createDeclarations(features: Features): Declarations {
  const declared: { [K in EventingKind]: Map<string, Declared<K>> } = {
    Broker: new Map(),
    Trigger: new Map(),
    ApiServerSource: new Map(),
    PingSource: new Map(),
  };

  function read<K extends EventingKind>(object: KubernetesObject, kind: K): Declared<K> {
    try {
      return { object, plan: readPlan(kind, object, features) };
    } catch (error) {
      if (!(error instanceof Unobeyable)) throw error;
      return { object, problem: error.message };
    }
  }

  return {
    set(object) {
      const kind = object.kind as EventingKind;
      const { namespace = "default", name } = object.metadata;
      const key = `${namespace}/${name}`;
      const before = declared[kind].get(key);
      if (before && settingsOf(before.object) === settingsOf(object)) return false;
      (declared[kind] as Map<string, Declared>).set(key, read(object, kind));
      return true;
    },
    delete: (kind, key) => {
      declared[kind].delete(key);
    },
    get: (kind, key) => declared[kind].get(key),
    plans: (kind) =>
      [...declared[kind]]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .flatMap(([key, { object, plan }]) => (plan ? [{ key, object, plan }] : [])),
  };
}

/** All of an object that decides what it asks for. */
export function settingsOf({ spec, metadata }: KubernetesObject): string {
  return JSON.stringify([metadata.uid, metadata.annotations, spec]);
}
