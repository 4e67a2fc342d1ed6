/** The Event that goes with a step: recorded on entering it, cleared on leaving. */
export interface StepEvent {
  readonly type: "Normal" | "Warning";
  /** CamelCase, one word for machines. With the object's uid and the rule's system it identifies the Event. */
  readonly reason: string;
}

/** The steps of a rule by name, each with its Event, or `silent`. */
export type Steps = Readonly<Record<string, StepEvent | undefined>>;

/** A step that only the annotation shows, without an Event. */
export const silent = undefined;

export const normal = (reason: string): StepEvent => ({ type: "Normal", reason });

export const warning = (reason: string): StepEvent => ({ type: "Warning", reason });

/** Recorded on what a newer version has written about, and what stays as it is until functions are rolled forward. */
export const newerProgress = warning("NewerProgress");

/** Recorded on what the API server, a policy or a webhook refuses to change, and where a webhook does not answer. */
export const kubernetesRefused = warning("KubernetesRefused");
export const kubernetesUnreachable = warning("KubernetesUnreachable");
export const refusalReasons: readonly string[] = [kubernetesRefused.reason, kubernetesUnreachable.reason];
