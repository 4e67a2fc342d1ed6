import { useQuery } from "@tanstack/react-query";
import { groupOf } from "../../shared/kubernetes/kind.ts";
import { askCluster } from "./request.ts";
import type { Write } from "./write.ts";

interface Review {
  readonly status: { readonly allowed: boolean; readonly reason?: string };
}

/** Why the user may not do something, or not yet, as a sentence; `undefined` where it is allowed. */
export function useRefused({ verb, kind, namespace, name }: Write): string | undefined {
  const attributes = { verb, group: groupOf(kind), resource: kind.plural, ...(namespace ? { namespace } : {}) };
  // Most may do it with all objects or with none: only where the answer is no, the one object is asked about.
  const all = useReview(attributes);
  const isRefused = all.data?.status.allowed === false;
  const one = useReview({ ...attributes, name }, isRefused && verb !== "create");
  const { data, error } = isRefused && verb !== "create" ? one : all;
  if (error) return `It is not known whether you may do this: ${error.message}`;
  if (!data) return "It is being asked whether you may do this.";
  if (data.status.allowed) return undefined;
  const words = `You may not ${verb} ${kind.plural}${namespace ? ` in namespace ${namespace}` : ""}`;
  return data.status.reason ? `${words}: ${data.status.reason}` : `${words}.`;
}

function useReview(attributes: Readonly<Record<string, string>>, enabled = true) {
  return useQuery({
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
    retry: false,
    enabled,
  });
}
