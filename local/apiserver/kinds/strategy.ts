import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { NameRule } from "../validation/metadata.ts";
import type { Cause } from "../validation/status-cause.ts";

/**
 * What the registry does differently for one kind. Everything is optional: the absent is what most built-in kinds do.
 */
export interface Strategy {
  /** How names must look; a DNS subdomain when absent. */
  readonly nameRule?: NameRule;
  /** Whether `metadata.generation` counts the changes of what the user wants. */
  readonly generation?: boolean;
  /** Whether a PUT of an object that does not exist creates it. */
  readonly createOnUpdate?: boolean;
  /** Whether an update must say which resourceVersion it changes. */
  readonly versionRequired?: boolean;
  /** Whether a DELETE that took the object away answers with the object rather than with a Status. */
  readonly answersDeleted?: boolean;
  /** `false` for kinds that the garbage collector does not look at. */
  readonly collected?: boolean;
  /** Whether a new object may come with its status. */
  readonly keepsStatusAtCreation?: boolean;
  /** Fills in what the API defaults, in place; on every write. */
  defaults?(object: KubernetesObject): void;
  /** Sets what a client may not choose on a new object; its status has been dropped before. */
  prepareCreate?(object: KubernetesObject, now: string): void;
  /** Keeps what an update may not change without complaint. */
  prepareUpdate?(next: KubernetesObject, live: KubernetesObject, now: string): void;
  /** Keeps what an update of the status may not change, and derives what follows from it. */
  prepareStatus?(next: KubernetesObject, live: KubernetesObject, now: string): void;
  /** What is wrong with a new object, or with the change from `live`. Metadata is checked elsewhere. */
  validate?(object: KubernetesObject, live?: KubernetesObject): Cause[];
  /**
   * The seconds between a DELETE and the end of the object, which `asked` overrides; absent for kinds that go at once.
   */
  gracePeriod?(object: KubernetesObject, asked: number | undefined): number;
  /** A finalizer that a DELETE adds. */
  readonly deletionFinalizer?: string;
  /**
   * Marks an object that has to wait as being deleted, in place; the timestamp, no grace and a new generation when
   * absent.
   */
  markDeleting?(object: KubernetesObject, now: string): void;
  /** Whether something other than `metadata.finalizers` still holds a dying object. */
  held?(object: KubernetesObject): boolean;
}
