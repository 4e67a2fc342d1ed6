import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Identity, IssuedToken } from "./auth/identity.ts";
import type { ResourceTable } from "./kinds/resource-table.ts";
import type { Store } from "./store/store.ts";

/** What can be switched. */
export interface Switches {
  /** Whether roles decide who may do what; off by default. The group `system:masters` may do everything. */
  readonly rbac: boolean;
  /** Admission plugin StorageObjectInUseProtection: finalizers on new claims and volumes; on by default. */
  readonly objectInUseProtection: boolean;
  /** Admission plugin of that name; off by default, as upstream. */
  readonly ownerReferencesPermissionEnforcement: boolean;
  /**
   * Whether writes are noted in `metadata.managedFields`; on by default. A simulation that does not look saves a third
   * of each write.
   */
  readonly managedFields: boolean;
}

/** As a server has them that is asked for nothing else. */
export const usualSwitches: Switches = {
  rbac: false,
  objectInUseProtection: true,
  ownerReferencesPermissionEnforcement: false,
  managedFields: true,
};

/** All that a running API server is made of. */
export interface State {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly resources: ResourceTable;
  readonly switches: Switches;
  /** Who holds which token; `undefined` while everybody is the administrator. */
  readonly tokens: Map<string, Identity> | undefined;
  /** The tokens of service accounts. */
  readonly issued: Map<string, IssuedToken>;
  /** How to end each open watch, with the collection that it watches. */
  readonly watches: Map<() => void, string>;
}

/** A moment as Kubernetes writes it in metadata: RFC 3339 in whole seconds. */
export const timestampAt = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");

/** Now, written so. */
export const timestamp = ({ clock }: Pick<State, "clock">): string => timestampAt(clock.now());
