import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Identity, IssuedToken } from "./auth/identity.ts";
import type { ResourceTable } from "./kinds/resource-table.ts";
import type { Store } from "./store/store.ts";

/** What can be switched; see `ApiServerOptions`. */
export interface Switches {
  readonly rbac: boolean;
  readonly objectInUseProtection: boolean;
  readonly ownerReferencesPermissionEnforcement: boolean;
  readonly managedFields: boolean;
}

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
