import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { setOutdated } from "./connection.ts";
import { follow } from "./follow.ts";
import { keyOf } from "./followed.ts";
import { type Listed, list, type Selection } from "./list.ts";
import { Away, isWorthAnotherTry, Refusal, waitBefore } from "./request.ts";

/** What is known of the objects of a selection. */
export type Objects<O> =
  | { readonly is: "loading" }
  /** The API server serves no such kind: what it is of is not installed. */
  | { readonly is: "absent" }
  | { readonly is: "refused"; readonly message: string }
  | { readonly is: "ready"; readonly objects: readonly O[] };

/** Milliseconds between two questions for a kind that is not installed: for most of them the answer stays as it is. */
const absentPace = 60_000;
const isAbsent = (error: Error | null) => error instanceof Refusal && error.status === 404;

/** How a selection is listed first. It is tried until there is an answer, and then until its kind is there. */
export const listing = (selection: Selection) =>
  queryOptions({
    queryKey: keyOf(selection),
    queryFn: ({ signal }) => list(selection, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: (_, error) => isWorthAnotherTry(error) || isAbsent(error),
    retryDelay: (attempt, error) => (isAbsent(error) ? absentPace : waitBefore(attempt, error)),
  });

/** The objects of a kind, kept up to date while the page shows them. */
export function useList<O extends KubernetesObject = KubernetesObject>(
  kind: Kind,
  options: Omit<Selection, "kind"> = {},
): Objects<O> {
  const cache = useQueryClient();
  const { namespace, labelSelector, fieldSelector } = options;
  const selection = useMemo(
    (): Selection => ({ kind, namespace, labelSelector, fieldSelector }),
    [kind, namespace, labelSelector, fieldSelector],
  );
  const { data, error, failureReason } = useQuery(listing(selection));
  const isListed = data !== undefined;
  const isAway = !isListed && failureReason instanceof Away;
  useEffect(() => {
    if (!isAway) return;
    setOutdated(selection, "away");
    return () => setOutdated(selection, undefined);
  }, [selection, isAway]);
  useEffect(() => (isListed ? follow(cache, selection) : undefined), [cache, selection, isListed]);
  return useMemo(() => knownOf<O>({ data, error, failureReason }), [data, error, failureReason]);
}

/** How far the listing of a selection has come. */
interface Found {
  readonly data: Listed | undefined;
  readonly error: Error | null;
  /** Why the last try has failed; another one follows unless it is also the error. */
  readonly failureReason: Error | null;
}

/** What the answers so far say of a selection. */
export function knownOf<O>({ data, error, failureReason }: Found): Objects<O> {
  if (data) return { is: "ready", objects: [...data.objects.values()] as O[] };
  if (isAbsent(failureReason)) return { is: "absent" };
  // While no answer comes, the page says so as a whole.
  const refusal = error ?? (failureReason instanceof Away ? null : failureReason);
  if (refusal) return { is: "refused", message: refusal.message };
  return { is: "loading" };
}

/** The objects that there are so far: none while they are not known. */
export const objectsOf = <O>(list: Objects<O>): readonly O[] => (list.is === "ready" ? list.objects : []);
