import { SpanKind } from "@opentelemetry/api";
import type { Client } from "../kubernetes/client.ts";
import type { Kind } from "../kubernetes/kind.ts";
import type { ExternalSystem } from "../system/system.ts";
import type { SystemTransport } from "../system/transport.ts";
import { type Signals, stopwatch } from "./signals.ts";
import { failed } from "./spans.ts";
import { withTrace } from "./trace-in-progress.ts";

/** What a call to something outside of the function is known by. */
interface Called {
  readonly system: string;
  readonly verb: string;
  /** What the verb is done to, in few different words: the name of the span ends with it. */
  readonly what: string;
  readonly attributes: Readonly<Record<string, string>>;
}

function observeCall<Result>(
  { system, verb, what, attributes }: Called,
  { spans, instruments }: Signals,
  work: () => Promise<Result>,
  statusIn?: (result: Awaited<Result>) => number,
): Promise<Result> {
  const elapsed = stopwatch();
  const beginning = { kind: SpanKind.CLIENT, attributes: { "peer.service": system, ...attributes } };
  return spans.within(`${verb} ${what}`, beginning, work, (span, result, error) => {
    const status = result === undefined ? statusOf(error) : statusIn?.(result as Awaited<Result>);
    const code = status === undefined ? {} : { "http.response.status_code": status };
    span.setAttributes(code);
    if (status !== undefined && status >= 400) failed(span, error ?? `It answered ${status}.`);
    const type = error instanceof Error ? { "error.type": error.name } : {};
    instruments.call(elapsed(), { "holdfast.system": system, "holdfast.verb": verb, ...code, ...type });
  });
}

/**
 * The API server's word on a call that failed. By what the error has and not by its class: the function and its
 * telemetry are bundled apart.
 */
function statusOf(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === "number" && status > 0 ? status : undefined;
}

/** A transport whose requests are observed: without their queries and bodies, which may hold what is secret. */
export function observedTransport(
  { name }: Pick<ExternalSystem, "name">,
  transport: SystemTransport,
  signals: Signals,
): SystemTransport {
  return (request) => {
    const { method, path } = request;
    const attributes = { "http.request.method": method, "url.path": path.split("?")[0] as string };
    const called = { system: name, verb: method, what: name, attributes };
    return observeCall(
      called,
      signals,
      () => transport(request),
      ({ status }) => status,
    );
  };
}

/** A client whose calls are observed. A list is one call, however many pages it has, and lasts until it is read. */
export function observedClient(client: Client, signals: Signals): Client {
  const observed = <Result>(
    verb: string,
    { kind }: Pick<Kind, "kind">,
    at: readonly (string | undefined)[],
    work: () => Promise<Result>,
  ) => {
    const object = [kind, at.filter(Boolean).join("/")].filter(Boolean).join(" ");
    const called = { system: "kubernetes", verb, what: kind, attributes: { "holdfast.object": object } };
    return observeCall(called, signals, work);
  };
  return {
    get: (kind, namespace, name, ...rest) =>
      observed("get", kind, [namespace, name], () => client.get(kind, namespace, name, ...rest)),
    async *list(kind, options) {
      const end = Promise.withResolvers<void>();
      const listing = observed("list", kind, [options?.namespace], () => end.promise);
      // The caller that reads the list hears of its failure.
      listing.catch(() => {});
      try {
        for await (const object of client.list<never>(kind, options)) {
          signals.listed?.see(kind, object);
          yield object;
        }
      } catch (error) {
        end.reject(error);
        throw error;
      } finally {
        end.resolve();
      }
    },
    create: (kind, object, ...rest) =>
      observed("create", kind, [object.metadata.namespace, object.metadata.name], () =>
        client.create(kind, object, ...rest),
      ),
    patch: (kind, namespace, name, type, patch, options) =>
      observed("patch", kind, [namespace, name], () =>
        client.patch(kind, namespace, name, type, withTrace(type, patch, signals.spans.current()), options),
      ),
    delete: (kind, namespace, name, ...rest) =>
      observed("delete", kind, [namespace, name], () => client.delete(kind, namespace, name, ...rest)),
    request: (method, path, ...rest) =>
      observed(method, { kind: path.split("?")[0] as string }, [], () => client.request(method, path, ...rest)),
  };
}
