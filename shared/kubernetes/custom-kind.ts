import type { ZodObject } from "zod";
import type { Kind } from "./kind.ts";

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  /** Above 0: shown by `-o wide` only. */
  readonly priority?: number;
}

export interface Version {
  /** `v1` of `group/v1`. */
  readonly name: string;
  /**
   * `spec`, `status` and all other fields beside `metadata`. CEL rules stand in `.meta({
   * "x-kubernetes-validations": … })` of the part that they are about.
   */
  readonly schema: ZodObject;
  readonly columns?: readonly Column[];
  readonly subresources?: { readonly status?: object; readonly scale?: object };
  /** Served unless this is false. */
  readonly served?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
}

/** What a CustomResourceDefinition is made of. The first version is the one that is stored. */
export interface CustomKind {
  readonly kind: Kind;
  /** For `kubectl explain`: what it is in one sentence, and in another one who may have the right to write it. */
  readonly doc: string;
  readonly names?: {
    readonly singular?: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions: readonly Version[];
}
