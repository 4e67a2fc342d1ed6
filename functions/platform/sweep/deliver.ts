import { CloudEvent, HTTP } from "cloudevents";
import type { Clock } from "../../../shared/clock.ts";
import type { HttpRequest, HttpResponse } from "../../../shared/http-message.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { withTimeout } from "../../../shared/with-timeout.ts";
import { sweepSource, sweepType } from "../lib/kept-event.ts";
import type { Row } from "./table.ts";

/** POSTs to a URL. Rejects when there is no answer, and when the signal aborts. */
export type Post = (url: string, request: HttpRequest, signal?: AbortSignal) => Promise<HttpResponse>;

/** As much of an object as an event names. */
export interface Named {
  readonly metadata: Pick<KubernetesObject["metadata"], "namespace" | "name" | "uid">;
}

/** Milliseconds between attempts. */
const pauses = [100, 200, 400, 800, 1600];
/** Milliseconds until an attempt without an answer is given up. */
const patience = 5_000;

/**
 * Sends one sweep event to the row's broker, with the attributes an ApiServerSource would give it. Answers why the
 * broker did not take it, or `undefined` when it did. No attempt begins, and none goes on, after `end`.
 */
export async function deliver(
  row: Row,
  { metadata }: Named,
  id: string,
  post: Post,
  clock: Clock,
  end: number,
): Promise<string | undefined> {
  const event = new CloudEvent({
    id,
    source: sweepSource,
    type: row.signal ?? sweepType,
    time: new Date(clock.now()).toISOString(),
    kind: row.kind,
    apiversion: row.apiVersion,
    name: metadata.name,
    namespace: metadata.namespace ?? "",
  });
  const request = { headers: HTTP.binary(event).headers as Record<string, string>, body: "" };
  let refusal = "the tick's time was over";
  for (let attempt = 0; attempt <= pauses.length; attempt++) {
    if (attempt > 0) await clock.sleep(pauses[attempt - 1] ?? 0);
    const left = end - clock.now();
    if (left <= 0) return refusal;
    try {
      const ms = Math.min(patience, left);
      const abort = new AbortController();
      const { status } = await withTimeout(clock, ms, post(row.sink, request, abort.signal), () => {
        const error = new Error(`it did not answer within ${ms / 1000} s`);
        abort.abort(error);
        return error;
      });
      if (status >= 200 && status < 300) return undefined;
      refusal = `it answered ${status}`;
    } catch (error) {
      refusal = reasonOf(error);
    }
  }
  return refusal;
}

/** A name with several addresses fails with several errors, and no message of its own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
