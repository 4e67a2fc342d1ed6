import { Readable } from "node:stream";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";

interface Watch {
  readonly path: string;
  readonly stream: Readable;
}

/** An API server that serves what a test sets: discovery, one version for all lists, and watches one can write to. */
export interface ScriptedApi {
  readonly transport: Transport;
  /** Paths of the requests so far. */
  readonly requests: string[];
  /** The watches that are open. */
  watches(): string[];
  /** Shows a change on every open watch whose path (without its query) is `path`; returns whether there was one. */
  change(path: string, type: "ADDED" | "MODIFIED" | "DELETED", object: KubernetesObject): boolean;
  /** Ends every watch: cleanly, with an ERROR event of that code, or with a broken connection. */
  end(how: "closed" | number | Error): void;
  /** Answers every request with this status, or not at all, until a test changes it. */
  refuse(how: number | Error | undefined): void;
}

/**
 * `served` says by `apiVersion` which plurals there are; names of cluster-scoped ones begin with a slash. `objects` are
 * what lists show, by path; `answers` is asked first what a request of a path and body is answered.
 */
export function scriptedApi(
  served: Record<string, string[]>,
  objects: Record<string, unknown[]> = {},
  answers: (path: string, body: unknown) => unknown = () => undefined,
): ScriptedApi {
  const requests: string[] = [];
  const open = new Set<Watch>();
  let refusal: number | Error | undefined;
  const stream = (value: unknown) => Readable.from([JSON.stringify(value)]);

  const transport: Transport = async ({ path, body, signal }) => {
    requests.push(path);
    const [route = "", query = ""] = path.split("?");
    if (refusal instanceof Error) throw refusal;
    if (refusal !== undefined) return { status: refusal, headers: {}, body: stream({ reason: "Refused" }) };
    const answer = answers(path, body === undefined ? undefined : JSON.parse(body));
    if (answer !== undefined) return { status: 200, headers: {}, body: stream(answer) };
    const apiVersion = route.replace(/^\/apis?\//, "");
    if (served[apiVersion]) {
      const resources = served[apiVersion].map((name) => ({
        name: name.replace("/", ""),
        namespaced: !name.startsWith("/"),
      }));
      return { status: 200, headers: {}, body: stream({ resources }) };
    }
    if (/^\/apis?\/[^/]+(\/v\d\w*)?$/.test(route)) return { status: 404, headers: {}, body: stream({}) };
    if (!new URLSearchParams(query).has("watch")) {
      const items = objects[route] ?? [];
      return { status: 200, headers: {}, body: stream({ metadata: { resourceVersion: "100" }, items }) };
    }
    const events = new Readable({ read: () => {}, encoding: "utf8" });
    const watch = { path: route, stream: events };
    open.add(watch);
    events.once("close", () => open.delete(watch));
    signal?.addEventListener("abort", () => events.destroy(), { once: true });
    return { status: 200, headers: {}, body: events };
  };

  return {
    transport,
    requests,
    watches: () => [...open].map(({ path }) => path).sort(),
    change(path, type, object) {
      const found = [...open].filter((watch) => watch.path === path);
      for (const { stream } of found) stream.push(`${JSON.stringify({ type, object })}\n`);
      return found.length > 0;
    },
    end(how) {
      for (const watch of open) {
        open.delete(watch);
        if (how instanceof Error) watch.stream.destroy(how);
        else {
          if (how !== "closed") {
            const object = { kind: "Status", code: how, reason: "Expired", message: "too old" };
            watch.stream.push(`${JSON.stringify({ type: "ERROR", object })}\n`);
          }
          watch.stream.push(null);
        }
      }
    },
    refuse: (how) => {
      refusal = how;
    },
  };
}

/** A Kubernetes object for tests. */
export function object(kind: string, name: string, namespace?: string, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: "v1",
    kind,
    metadata: { name, ...(namespace ? { namespace } : {}), uid: `uid-${name}`, resourceVersion: "101", ...metadata },
  };
}
