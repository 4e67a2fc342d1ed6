import type { Transport } from "../../../../shared/kubernetes/transport.ts";
import { selfSubjectReview } from "./allowed-request.ts";
import { askApiServer, textOf } from "./ask-api-server.ts";
import { Refusal } from "./refusal.ts";

interface Review {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

/** Bytes of a review: the groups of a user are in it. */
const largestReview = 1024 * 1024;

/**
 * The user's name as the API server knows it, empty when it does not say; `undefined` when it does not accept the
 * credential.
 *
 * @throws Refusal when it does not say.
 */
export async function whoAmI(transport: Transport): Promise<string | undefined> {
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  const headers = { accept: "application/json", "content-type": "application/json" };
  const request = { method: "POST", path: selfSubjectReview, headers, body, isWatch: false } as const;
  const answer = await askApiServer(transport, request, new AbortController().signal);
  const text = await textOf(answer, largestReview);
  if (answer.status === 401) return undefined;
  // Who they are is a right of its own, which an administrator may have taken from all.
  if (answer.status === 403) return "";
  if (answer.status >= 400)
    throw new Refusal(502, `The API server answers with ${answer.status} when asked who you are.`);
  try {
    return (JSON.parse(text) as Review).status?.userInfo?.username ?? "";
  } catch (cause) {
    throw new Refusal(502, "The API server does not say who you are.", { cause });
  }
}
