import type { Kind } from "./kubernetes/kind.ts";

/**
 * What a rule changes of the objects of a kind that it may patch, besides the progress that the kit writes, and what
 * those have that it may create. A key that ends in `*` stands for all that begin so; `{}`: progress alone.
 */
export interface DeclaredWrites {
  readonly annotations?: readonly string[];
  readonly labels?: readonly string[];
  readonly finalizers?: readonly string[];
  /** Kinds of owners whose references it adds or removes. */
  readonly ownerReferences?: readonly string[];
  /** Fields outside of `metadata`, as `spec.claimRef.uid`, each with all beneath it; not of what it creates. */
  readonly fields?: readonly string[];
  /** Types of conditions, with the subresource `status`. */
  readonly conditions?: readonly string[];
}

/** What must be so of each object that a function creates, patches or deletes: what RBAC cannot ask for. */
export interface Bound {
  readonly on: readonly ("create" | "patch" | "delete")[];
  /** Ends "It only": "creates pods that run on the Node of their agent". */
  readonly says: string;
  /** It must be so beside each object of this kind, `params`; of those in namespaces, beside each in the same one. */
  readonly each?: Kind;
  /**
   * With `each`: key of a label. Each object that the function creates must have it, and the API server looks at no
   * others: it finds the parameters before it asks for the account, and refuses what it looks at where it cannot.
   */
  readonly label?: string;
  /** CEL: `object` as it is to be, absent on delete; `oldObject` as it is, absent on create. */
  readonly cel: string;
}

/** Whether a key or a field is one of those declared. */
export function isDeclared(declared: readonly string[] | undefined, name: string): boolean {
  return declared?.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one)) ?? false;
}
