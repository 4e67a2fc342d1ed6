import { type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import { askCluster } from "./request.ts";

/** One change of one object, as the user. */
export type Write =
  | {
      readonly verb: "create";
      readonly kind: Kind;
      readonly namespace?: string;
      readonly name: string;
      readonly object: object;
    }
  | {
      readonly verb: "patch";
      readonly kind: Kind;
      readonly namespace?: string;
      readonly name: string;
      readonly patch: object;
    }
  | {
      readonly verb: "delete";
      readonly kind: Kind;
      readonly namespace?: string;
      readonly name: string;
      /** That very object, and no other of its name. */
      readonly uid: string;
    };

/** Carries it out, or rejects with the API server's own words. */
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

/** The patch that sets annotations; null removes. */
export const annotating = (
  kind: Kind,
  { namespace, name, uid }: { readonly namespace?: string; readonly name: string; readonly uid: string },
  annotations: Readonly<Record<string, string | null>>,
): Write => ({
  verb: "patch",
  kind,
  ...(namespace ? { namespace } : {}),
  name,
  patch: { metadata: { uid, annotations } },
});
