import type { Field } from "./policy.ts";

/** How a set is deleted: `kubectl delete --cascade=…`. */
export type Cascade = "Background" | "Foreground" | "Orphan";

/** One thing that a user does, in both namespaces alike. What the API server refuses is passed over. */
export type Operation =
  | {
      readonly do: "create";
      readonly set: string;
      readonly replicas: number;
      /** Names of its volumeClaimTemplates. */
      readonly templates: readonly string[];
      readonly annotation?: string;
      /** How long its pods take to stop (milliseconds); no time otherwise. */
      readonly stopsAfter?: number;
      /** Further annotations, which mean nothing to plain Kubernetes. */
      readonly annotations?: Readonly<Record<string, string>>;
      /**
       * Created by server-side apply with this value in the field, as a GitOps controller does; by a plain POST
       * otherwise.
       */
      readonly explicit?: Field;
    }
  /** `start`: the first ordinal. */
  | { readonly do: "scale"; readonly set: string; readonly replicas: number; readonly start?: number }
  | { readonly do: "delete"; readonly set: string; readonly cascade: Cascade }
  /** Sets the policy of a set; `null` takes it away. */
  | { readonly do: "annotate"; readonly set: string; readonly policy: string | null }
  /** Sets the policy of the namespace. */
  | { readonly do: "default"; readonly policy: string | null }
  /** Another manager applies a value of the field. */
  | { readonly do: "apply"; readonly set: string; readonly field: Field }
  | { readonly do: "restart"; readonly pod: string; readonly force: boolean }
  /** Changes the pod template, so that all pods are replaced one by one. */
  | { readonly do: "roll"; readonly set: string; readonly revision: number }
  /** Makes a claim by hand; `pod`: and a pod without an owner that mounts it. */
  | {
      readonly do: "claim";
      readonly name: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly pod?: string;
    }
  | { readonly do: "deleteClaim"; readonly name: string }
  /** `null` takes the label away. */
  | { readonly do: "relabel"; readonly claim: string; readonly app: string | null }
  /** Lets so many milliseconds pass. */
  | { readonly do: "pass"; readonly ms: number }
  /** Everybody has the time to finish what he is at. */
  | { readonly do: "rest" };

const words = ({ whenDeleted, whenScaled }: Field) => `${whenDeleted}/${whenScaled}`;

/** An operation in words, as a user would tell it: "scales web to 1". */
export function describeOperation(op: Operation): string {
  switch (op.do) {
    case "create": {
      const policy = op.annotation === undefined ? "" : ` with policy ${op.annotation}`;
      const slow = op.stopsAfter ? `, whose pods stop after ${op.stopsAfter} ms` : "";
      const explicit = op.explicit ? ` by server-side apply with ${words(op.explicit)} in the field` : "";
      return (
        `creates set ${op.set} of ${op.replicas} (templates ` + `${op.templates.join(", ")})${policy}${explicit}${slow}`
      );
    }
    case "scale":
      return `scales ${op.set} to ${op.replicas}${op.start === undefined ? "" : ` from ordinal ${op.start} on`}`;
    case "delete":
      return `deletes set ${op.set} (${op.cascade})`;
    case "annotate":
      return op.policy === null ? `takes the policy of ${op.set} away` : `makes ${op.policy} the policy of ${op.set}`;
    case "default":
      return op.policy === null
        ? "takes the policy of the namespace away"
        : `makes ${op.policy} the policy of the namespace`;
    case "apply":
      return `applies ${words(op.field)} to the field of ${op.set} as another manager`;
    case "restart":
      return `deletes pod ${op.pod}${op.force ? " by force" : ""}`;
    case "roll":
      return `changes the pod template of ${op.set}`;
    case "claim":
      return (
        `creates claim ${op.name} labelled ` +
        `${JSON.stringify(op.labels)}${op.pod ? `, mounted by pod ${op.pod}` : ""}`
      );
    case "deleteClaim":
      return `deletes claim ${op.name}`;
    case "relabel":
      return op.app === null
        ? `takes the label app off claim ${op.claim}`
        : `labels claim ${op.claim} as app=${op.app}`;
    case "pass":
      return `waits for ${op.ms} ms`;
    case "rest":
      return "waits until everybody is done";
  }
}

/**
 * Whether what becomes of it depends on how quickly Kubernetes' own controllers are, so that the next operation must
 * wait for them: otherwise plain Kubernetes itself would end one way today and another way tomorrow.
 */
export const keepsControllersBusy = ({ do: what }: Operation): boolean =>
  ["create", "scale", "delete", "restart", "roll", "claim", "deleteClaim"].includes(what);
