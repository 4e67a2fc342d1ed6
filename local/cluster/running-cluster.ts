import type { Clock } from "../../shared/clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { Hold } from "../../shared/uninstall/held-objects.ts";
import type { Trouble } from "../controllers/controller.ts";

/** A cluster of our own, where a tour may install more, and put stand-ins beside it. */
export interface OwnCluster {
  /** The API as an administrator. */
  readonly transport: Transport;
  trouble(trouble: Trouble): void;
  /** Installs components of `knative/`, paths below it, each object as `edit` returns it; resolves when it is ready. */
  install(components: readonly string[], edit: (object: KubernetesObject) => KubernetesObject): Promise<void>;
}

/** A node that Salt makes storage on. */
export interface VolumePlace {
  readonly node: string;
  /** What there is on it, as paths; absent where they cannot be read from here. */
  readonly storage?: () => readonly string[];
  /** Milliseconds that a Salt job may take until its end is known. */
  readonly patience: number;
}

/** A cluster with the functions at work on it, where a tour can be played. */
export interface RunningCluster {
  /** As an administrator. */
  readonly client: Client;
  /** The same for Knative's objects, which need not be on the cluster itself. */
  readonly knative: Client;
  readonly clock: Clock;
  /** How many processes functions have. */
  processes(): number;
  /** Installs a system's admission policy, where the server may have it. */
  installPolicy?(system: "pvc-protection" | "pvc-retention"): Promise<void>;
  /** What can be done where the cluster is our own. */
  readonly own?: OwnCluster;
  /** Where Volumes can be made; absent where no Salt is known. */
  readonly volumes?: VolumePlace;
  /** What the functions that are installed hold objects by. */
  readonly holds: readonly Hold[];
  /** No other client changes anything here. */
  readonly quiet: boolean;
  /** What can be done now, for the person at the keyboard. */
  readonly advice: string;
}
