import { AsyncLocalStorage } from "node:async_hooks";
import type { Attributes } from "../../eventing/event/cloud-event.ts";
import type { HttpRequest } from "../../shared/http-message.ts";
import type { ApiRequest, Transport } from "../../shared/kubernetes/transport.ts";
import type { Log } from "../../shared/log.ts";
import type { Call, Delivery, Intercept, LogLine } from "./cluster.ts";
import type { Fate, Faults } from "./faults/fates.ts";
import type { Handler } from "./functions.ts";

/** What is recorded, and disturbed, of one scenario: what happens in its namespace. */
export interface Page {
  readonly said: LogLine[];
  readonly calls: Call[];
  readonly deliveries: Delivery[];
  readonly intercepts: Intercept[];
  /** Of requests about other namespaces and about none as well. */
  readonly everywhere: Intercept[];
  fate: ((event: Attributes) => Fate | undefined) | undefined;
}

/** Stands around the functions and sources of a cluster and keeps a page of each scenario that runs. */
export interface Recorder {
  /** A page for the scenario in this namespace, until it is closed. */
  open(namespace: string): Page;
  close(namespace: string): void;
  /** The transport of a function, written down and disturbed. */
  transport(rule: string, transport: Transport): Transport;
  /** A function, its deliveries written down. */
  handler(rule: string, handle: Handler): Handler;
  log(rule: string): Log;
  readonly faults: Faults;
}

export function createRecorder(): Recorder {
  const pages = new Map<string | undefined, Page>();
  // A log line does not say whose event it is about.
  const current = new AsyncLocalStorage<Page | undefined>();

  return {
    open(namespace) {
      const page: Page = { said: [], calls: [], deliveries: [], intercepts: [], everywhere: [], fate: undefined };
      pages.set(namespace, page);
      return page;
    },
    close: (namespace) => void pages.delete(namespace),
    transport: (rule, transport) => (request) => {
      const page = pages.get(/\/namespaces\/([^/?]+)\//.exec(request.path)?.[1]);
      page?.calls.push({ rule, request });
      let send = (sent: ApiRequest) => transport(sent);
      for (const step of [...(page?.intercepts ?? []), ...[...pages.values()].flatMap((each) => each.everywhere)]) {
        const next = send;
        send = (sent) => step({ rule, request: sent }, (instead = sent) => next(instead));
      }
      return send(request);
    },
    handler: (rule, handle) => async (request) => {
      const page = pages.get(request.headers["ce-namespace"]);
      const answer = await current.run(page, () => handle(request));
      page?.deliveries.push({ rule, event: attributesOf(request), status: answer.status });
      return answer;
    },
    log(rule) {
      const at =
        (level: LogLine["level"]) =>
        (fields: object, sentence: string): void =>
          void current.getStore()?.said.push({ rule, level, fields: fields as LogLine["fields"], sentence });
      return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
    },
    faults: { source: (event) => pages.get(event.namespace)?.fate?.(event) ?? [0] },
  };
}

function attributesOf({ headers }: HttpRequest): Attributes {
  const attributes = Object.entries(headers).filter(([name]) => name.startsWith("ce-"));
  return Object.fromEntries(attributes.map(([name, value]) => [name.slice(3), value]));
}
