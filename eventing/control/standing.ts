/** An address that was looked for. */
export type Address = { readonly url: string } | { readonly problem: string };

/** Where an object stands, from which its status is written. */
export type Standing =
  /** It asks for what cannot be obeyed, and is not. */
  | { readonly kind: "unobeyable"; readonly message: string }
  | { readonly kind: "Broker"; readonly url: string; readonly deadLetterSink?: Address | undefined }
  | {
      readonly kind: "Trigger";
      /** Why the Broker cannot be subscribed to. */
      readonly brokerProblem?: { readonly reason: string; readonly message: string } | undefined;
      readonly subscriber: Address;
      readonly deadLetterSink?: Address | undefined;
    }
  | ({ readonly kind: "ApiServerSource"; readonly sink: Address } & SourceStanding)
  | { readonly kind: "PingSource"; readonly sink: Address };

/** How far an ApiServerSource has come. */
export interface SourceStanding {
  /** What its ServiceAccount may not do. */
  readonly missingPermissions?: string | undefined;
  /** `starting`, `running`, or why it is neither. */
  readonly adapter: "starting" | "running" | { readonly problem: string };
}
