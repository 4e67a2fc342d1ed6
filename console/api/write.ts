import { type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import { Away, askCluster, Refusal } from "./request.ts";

interface Target {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
}

/** A change of one very object as the user: of no other one with its name. */
export type Change = Target & { readonly uid: string } & (
    | { readonly verb: "patch"; readonly patch: { readonly metadata?: object; readonly spec?: object } }
    | { readonly verb: "delete" }
  );

/** What is written as the user. */
export type Write = Change | (Target & { readonly verb: "create"; readonly object: object });

/** Carries it out, or rejects with the API server's own words: see {@link failureOf}. */
export function carryOut(write: Write): Promise<unknown> {
  const { kind, namespace, name } = write;
  switch (write.verb) {
    case "create":
      return askCluster(pathOf(kind, namespace), { method: "POST", body: write.object });
    case "patch": {
      const body = { ...write.patch, metadata: { ...write.patch.metadata, uid: write.uid } };
      const type = "application/merge-patch+json";
      return askCluster(pathOf(kind, namespace, name), { method: "PATCH", body, type });
    }
    case "delete": {
      const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: write.uid } };
      return askCluster(pathOf(kind, namespace, name), { method: "DELETE", body });
    }
  }
}

/** Why a write did not succeed, as a page shows it. */
export interface Failure {
  readonly title: string;
  readonly message: string;
  /** What to do before another try. */
  readonly advice?: string;
}

/** What is known of a write that {@link carryOut} rejected. Only an answer that refuses it rules out an effect. */
export function failureOf(error: unknown): Failure {
  const { message } = error as Error;
  const status = (error instanceof Refusal || error instanceof Away ? error.status : undefined) ?? 0;
  // A proxy answers 408 when no answer came in time, although the API server may still carry out the write.
  if (status >= 400 && status < 500 && status !== 408) return { title: "The API server refuses this", message };
  return {
    title: "It is not known whether the API server has done this",
    message,
    advice: "Look at the object before you try again.",
  };
}
