import { queryOptions, useQuery } from "@tanstack/react-query";
import { groupOf } from "../../shared/kubernetes/kind.ts";
import { askCluster, isWorthAnotherTry, waitBefore } from "./request.ts";
import type { Write } from "./write.ts";

interface Review {
  readonly status: { readonly allowed: boolean; readonly reason?: string };
}

/** Why the user may not do something, or not yet, as a sentence; `undefined` where it is allowed. */
export function useRefused(write: Write): string | undefined {
  const { verb, kind, namespace, name } = write;
  const attributes = { verb, group: groupOf(kind), resource: kind.plural, ...(namespace ? { namespace } : {}) };
  // Most may do it with all objects or with none: only where the answer is no, the one object is asked about.
  const all = useQuery(reviewing(attributes));
  const isRefused = all.data?.status.allowed === false;
  const isOneAsked = isRefused && verb !== "create";
  const one = useQuery({ ...reviewing({ ...attributes, name }), enabled: isOneAsked });
  return refusalIn(isOneAsked ? one : all, write);
}

/** What is known of a question so far. */
interface Answer {
  readonly data: Review | undefined;
  /** Why the last try has failed. */
  readonly failureReason: Error | null;
}

/** Why an answer does not allow a write, as a sentence. */
export function refusalIn({ data, failureReason }: Answer, { verb, kind, namespace }: Write): string | undefined {
  if (!data && failureReason) return `It is not known whether you may do this: ${failureReason.message}`;
  if (!data) return "It is being asked whether you may do this.";
  if (data.status.allowed) return undefined;
  const words = `You may not ${verb} ${kind.plural}${namespace ? ` in namespace ${namespace}` : ""}`;
  return data.status.reason ? `${words}: ${data.status.reason}` : `${words}.`;
}

/** The question whether the user may do something. It is asked until there is an answer. */
export const reviewing = (attributes: Readonly<Record<string, string>>) =>
  queryOptions({
    queryKey: ["access", attributes],
    queryFn: ({ signal }) =>
      askCluster<Review>("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        method: "POST",
        body: {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SelfSubjectAccessReview",
          spec: { resourceAttributes: attributes },
        },
        signal,
      }),
    staleTime: 60_000,
    retry: (_, error) => isWorthAnotherTry(error),
    retryDelay: waitBefore,
  });
