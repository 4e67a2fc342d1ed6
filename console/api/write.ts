import { type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import { Away, askCluster, Refusal } from "./request.ts";

interface Target {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
}

/** One change of one object, as the user. With a uid, of that very object, and no other of its name. */
export type Write = Target &
  (
    | { readonly verb: "create"; readonly object: object }
    | { readonly verb: "patch"; readonly patch: object }
    | { readonly verb: "delete"; readonly uid: string }
  );

/** Carries it out, or rejects with the API server's own words: see {@link failureOf}. */
export function carryOut(write: Write): Promise<unknown> {
  const { kind, namespace, name } = write;
  switch (write.verb) {
    case "create":
      return askCluster(pathOf(kind, namespace), { method: "POST", body: write.object });
    case "patch": {
      const type = "application/merge-patch+json";
      return askCluster(pathOf(kind, namespace, name), { method: "PATCH", body: write.patch, type });
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
