import type { CustomKind } from "./kubernetes/custom-kind.ts";

/**
 * What a system says of itself beyond its functions, in `functions/<system>/system.ts`; one without it is installed by
 * default.
 */
export interface SystemDeclaration {
  /** The system's folder under `functions/`. */
  readonly name: string;
  /** One sentence: what it is for, and what it needs. */
  readonly doc: string;
  /** It is installed only where an admin asks for it: it needs something that not every cluster has. */
  readonly optional?: true;
  /** The kinds that it brings, which the API server has to know before its functions and sources come. */
  readonly definitions?: readonly CustomKind[];
}
