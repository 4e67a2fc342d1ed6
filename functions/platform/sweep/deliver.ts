import { CloudEvent, HTTP } from "cloudevents";
import type { Clock } from "../../../shared/clock.ts";
import type { HttpRequest, HttpResponse } from "../../../shared/http-message.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Row } from "./table.ts";

/** POSTs to a URL. Rejects when there is no answer. */
export type Post = (url: string, request: HttpRequest) => Promise<HttpResponse>;

/** Milliseconds between attempts; about 3 s in all, after which the rest of the pass is left to the next tick. */
const pauses = [100, 200, 400, 800, 1600];

/**
 * Sends one sweep event to the row's broker, with the attributes an ApiServerSource would give it. Answers why the broker
 * did not take it, or `undefined` when it did.
 */
export async function deliver(
  row: Row,
  { metadata }: KubernetesObject,
  id: string,
  post: Post,
  clock: Clock,
): Promise<string | undefined> {
  const event = new CloudEvent({
    id,
    source: "https://holdfast.dev/platform/sweep",
    type: "dev.holdfast.sweep",
    time: new Date(clock.now()).toISOString(),
    kind: row.kind,
    apiversion: row.apiVersion,
    name: metadata.name,
    namespace: metadata.namespace ?? "",
  });
  const request = { headers: HTTP.binary(event).headers as Record<string, string>, body: "" };
  let refusal = "";
  for (let attempt = 0; attempt <= pauses.length; attempt++) {
    if (attempt > 0) await clock.sleep(pauses[attempt - 1] ?? 0);
    try {
      const { status } = await post(row.sink, request);
      if (status >= 200 && status < 300) return undefined;
      refusal = `it answered ${status}`;
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error);
    }
  }
  return refusal;
}
