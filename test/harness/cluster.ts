import type { EventingOptions } from "../../eventing/control/eventing.ts";
import type { Attributes } from "../../eventing/event/cloud-event.ts";
import type { Clock } from "../../shared/clock.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import type { createClient } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ApiRequest, ApiResponse } from "../../shared/kubernetes/transport.ts";
import type { Connect } from "../../shared/system/connect.ts";
import type { AccountRequest } from "./account-request.ts";
import type { Fate } from "./faults/fates.ts";
import type { functions } from "./functions.ts";
import type { Bench } from "./server.ts";

/** Another release of Holdfast than this tree's. */
export interface OtherRelease {
  /** Its folder `knative/`. */
  readonly manifests: string;
  readonly functions: typeof functions;
  readonly createClient: typeof createClient;
}

/** How a cluster and the functions on it are set up. */
export interface Setting {
  /** What the setting is called in the names of tests. */
  readonly name: string;
  /** Kubernetes' own PVC protection: its admission plugin and its controller. */
  readonly inTree: boolean;
  /** Whether the server's plugin OwnerReferencesPermissionEnforcement is on; absent where nothing depends on it. */
  readonly guardsOwnerReferences?: boolean;
  /** The finalizer that functions keep, where it is not the default one. */
  readonly finalizer?: string;
  /** Environment variables over those of the manifests, by the name of the function's Service. */
  readonly environment: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * The clients of external systems, over stand-ins on the cluster's clock; absent where no function that is installed
   * has any.
   */
  readonly connect?: (clock: Clock) => Connect;
  /** Objects of the default that are left out, as those of a system that nothing here depends on. */
  readonly leaveOut?: (object: KubernetesObject) => boolean;
  /** What an administrator's overlay makes of an object. */
  readonly edit?: (object: KubernetesObject) => KubernetesObject;
  /** Sources and brokers of `eventing/`, as on a cluster without Knative; Knative's otherwise. */
  readonly withoutKnative?: true;
  /**
   * No source of changes runs, and the sweep comes every so many milliseconds: all that rules hear of they hear of from
   * it.
   */
  readonly bySweepsAlone?: number;
  /** What stands in the place of brokers, as `staleSubscribers` makes it. */
  readonly createBroker?: EventingOptions["createBroker"];
  /** What is installed first, where that is not this tree. */
  readonly release?: OtherRelease;
  /** Components of `knative/` that are installed beside the default, as paths below it. */
  readonly components: readonly string[];
}

/** One line that a function logged. */
export interface LogLine {
  readonly rule: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly sentence: string;
}

/** One request of a function to the API server. */
export interface Call {
  readonly rule: string;
  readonly request: ApiRequest;
}

/** One event that reached a function, and what it answered. */
export interface Delivery {
  readonly rule: string;
  readonly event: Attributes;
  readonly status: number;
}

/** Sends a request on: the function's own, or another in its place. */
export type SendOn = (instead?: ApiRequest) => Promise<ApiResponse>;

/**
 * Stands between functions and the API server: answers itself, or sends the request on, does something before or after,
 * or loses the answer by throwing.
 */
export type Intercept = (call: Call, send: SendOn) => Promise<ApiResponse>;

/** What an event handed to a function by hand says. */
export interface ManualEvent {
  readonly change: "add" | "update" | "delete" | "sweep";
  readonly kind: Kind;
  readonly name: string;
  /** The object as the event shows it; Reference mode and the sweep show none. */
  readonly object?: KubernetesObject;
}

/** One more process of a function; it shares nothing with the others. */
export type Instance = (hand: ManualEvent) => Promise<HttpResponse>;

/**
 * A cluster with Holdfast on it, in which a scenario runs. The scenario has a namespace of its own; what is counted and
 * disturbed here is what happens in that namespace.
 */
export interface Cluster extends Bench {
  readonly setting: Setting;
  /** The clients of external systems that the functions have; absent where none of them has any. */
  readonly systems?: Connect;
  /** What functions said, oldest first. */
  readonly said: readonly LogLine[];
  /** What functions asked of the API server, oldest first. */
  readonly calls: readonly Call[];
  /** Events that reached functions, in the order of the answers. */
  readonly deliveries: readonly Delivery[];
  /** What accounts of Holdfast asked of the API server, in this scenario and those before it on this installation. */
  readonly asked: readonly AccountRequest[];
  /**
   * From now on every request of a function goes through this. The last one set is the first to be asked. `everywhere`:
   * also those about other namespaces and about none, for a scenario that runs alone.
   */
  intercept(step: Intercept, isAlone?: "everywhere"): void;
  /** From now on this decides what becomes of each event that a source emits; `undefined`: nothing special. */
  fate(decide: (event: Attributes) => Fate | undefined): void;
  /**
   * From now on the functions are not there: nothing reaches them. Returns how to have them back, when they hear of
   * nothing that has happened meanwhile: that is for the sweep to find.
   */
  absent(): Promise<() => Promise<void>>;
  /**
   * Applies the manifests of another release, this tree's without one, and has its functions take what comes from now
   * on; absent where functions are processes.
   */
  upgrade?(release?: OtherRelease): Promise<void>;
  /** Starts one more instance of a function, by the name of its rule. */
  instance(rule: string): Instance;
  /** Posts an event into the cluster, as a client outside of it does; absent where functions are processes. */
  post?(url: string, event: HttpRequest): Promise<HttpResponse>;
  /** One tick of the sweep, past broker and schedule. */
  sweep(): Promise<void>;
  /** Lets time pass in which what should not happen could happen. */
  rest(): Promise<void>;
}
