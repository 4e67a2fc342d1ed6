import type { ZodObject } from "zod";
import type { Bound, DeclaredWrites } from "./declared-writes.ts";
import type { Kind } from "./kubernetes/kind.ts";
import type { Systems } from "./system/system.ts";

/** Verbs on one resource: each becomes a line of the function's ClusterRole, or of its Role. */
export interface Permission {
  /** Only in the namespace that the function runs in. */
  readonly ownNamespace?: true;
  /** Only in the namespace that this setting names. An admin who sets another one moves the Role there. */
  readonly namespaceSetting?: string;
  /** Not granted by default: only where the admin installs the overlay of this name. */
  readonly overlay?: string;
  readonly resource: Kind;
  readonly subresource?: string;
  /** Only objects of these names; RBAC cannot limit `list` and `create` so. */
  readonly names?: readonly string[];
  readonly verbs: readonly ("get" | "list" | "create" | "update" | "patch" | "delete")[];
  /** Why, for those who grant it: a clause that goes on from "It needs this", such as `to remove its finalizer`. */
  readonly why: string;
  /**
   * With `patch`: what it changes. With `create`: what of metadata its objects have; Events have nothing. The kit holds
   * the rule to it, and a ValidatingAdmissionPolicy its account.
   */
  readonly writes?: DeclaredWrites;
  /** A setting that names another finalizer in place of its default, which is one of `writes`. */
  readonly finalizerSetting?: string;
  /** With `create` and `delete`, and where `patch` is for some objects alone: which. Events have those of the kit. */
  readonly bounds?: readonly Bound[];
}

/**
 * What every function says of itself, be it a rule or one that serves the rules: its Service and role derive from it.
 */
export interface FunctionDeclaration<Schema extends ZodObject = ZodObject> {
  /** `<system>/<rule>`, the function's folder under `functions/`. */
  readonly name: string;
  /** One sentence: what the function guarantees. */
  readonly doc: string;
  /** Flat; each key is an environment variable in upper snake case, with a default and a description. */
  readonly settings: Schema;
  /**
   * Those of the settings that functions of its system share: the admin sets them in one place, the ConfigMap
   * `holdfast-<system>`, and a function's own environment overrides it. Declared once in the system's lib.
   */
  readonly common?: ZodObject;
  readonly permissions: readonly Permission[];
  /** The external systems that it looks at or commands, by the names under which it gets their clients. */
  readonly systems?: Systems;
  /**
   * Secrets `holdfast-<name>` that are mounted at `/etc/holdfast/<name>` where they are there, besides those of its
   * external systems: for files that a setting names.
   */
  readonly mounts?: readonly string[];
  /** Not installed by default: only where the admin installs the overlay of this name. */
  readonly overlay?: string;
  /**
   * It acts as the user who asks it: no token of its account is mounted, only the certificate by which it knows the
   * cluster's API server, at `/etc/holdfast/kube-root-ca`.
   */
  readonly anonymous?: true;
  /** Requests one instance takes at once (`containerConcurrency`); 20 by default. */
  readonly concurrency?: number;
  /**
   * Seconds without a request after which Knative may take the last instance away; 15 when absent. Knative's own
   * default is a minute, which is most of what a cluster at rest would cost. A cold start takes little more than one.
   */
  readonly idle?: number;
}
