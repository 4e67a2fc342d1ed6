import type { HttpRequest, HttpResponse } from "../../../shared/http-message.ts";
import { isAlreadyExists, isConflict } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { recordEvent } from "../../../shared/kubernetes/record-event.ts";
import { type Outcome, outcomeOf, replyTo } from "../../../shared/outcome.ts";
import { ownNamespace } from "../../../shared/own-namespace.ts";
import { coalesce } from "../../../shared/pipeline/coalesce.ts";
import type { Tools } from "../../../shared/pipeline/tools.ts";
import { readKeptEvent } from "../lib/kept-event.ts";
import { adviceOn, type Circumstances } from "./advice.ts";
import { type DeadLetteredEvent, readDeadLetteredEvent } from "./dead-lettered-event.ts";
import { deadLetter, type Settings, shownOn } from "./declaration.ts";
import { discoverKind } from "./discover-kind.ts";
import { lookAtFunction } from "./installed-function.ts";
import { added, keyOf, textOf, withSince } from "./ring-buffer.ts";

const attempts = 5;
/** Milliseconds in which an API server that is away may come back. After that the broker sends the event again. */
const patience = 180_000;
const firstPause = 5_000;
const longestPause = 40_000;

/**
 * Takes dead-lettered events: a log line, a Warning Event on the object that the event named, and the event in the ring
 * buffer. Keeping it is what must succeed; what cannot be shown on an object is in the log and in the ring buffer all
 * the same.
 *
 * Anyone who can reach the function may send it an event. So an Event is made of what the cluster itself knows, and
 * repeats a text of the event only where senders are verified; an event beyond those that the ring buffer takes of its
 * function is neither shown nor logged. An event of which the broker does not say which function did not take it is no
 * matter of the object that it names, and is shown on none.
 *
 * While the API server is away, the event waits here: the broker's retries end within seconds.
 */
export function recordDeadLetters(tools: Tools<Settings>): (request: HttpRequest) => Promise<HttpResponse> {
  const { clock, log, verifiesSenders = false } = tools;
  const settings = { ...tools.settings, namespace: tools.settings.namespace || ownNamespace() };
  // They come in bursts, and there is one ring buffer: those that arrive while it is written go into it together.
  const keepTogether = coalesce<DeadLetteredEvent, Kept>(async (_, events) =>
    keep(await tools.client(), events, settings),
  );

  /** Keeps an event, logs it and shows it. */
  async function record(read: DeadLetteredEvent): Promise<void> {
    const client = await tools.client();
    const found = await lookAtFunction(client, read.destination, settings.namespace);
    const { attributes, code } = read;
    const event: DeadLetteredEvent = found === "absent" ? { ...read, unknown: true } : read;
    const taken = (await keepTogether("ring buffer", event)).get(keyOf(event));
    const kept = taken !== undefined;
    const said = taken?.since === undefined ? read : { ...read, since: taken.since };
    const circumstances = { ...settings, found };
    const named = `${attributes.kind ?? "an object"} ${attributes.name ?? ""}`.trimEnd();
    const fields = {
      rule: deadLetter.name,
      deadLetter: keyOf(event),
      destination: read.destination,
      code,
      attributes,
    };
    log[kept ? "warn" : "debug"](fields, adviceOn(said, named, { ...circumstances, quoting: true }));
    if (kept && read.destination)
      await show(client, said, { ...circumstances, quoting: verifiesSenders }, clock.now()).catch((error: Error) =>
        log.warn({ rule: deadLetter.name }, `The dead-lettered event was not shown on its object: ${error.message}`),
      );
  }

  async function recordPatiently(read: DeadLetteredEvent): Promise<HttpResponse> {
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      const outcome = await record(read).then(() => undefined, outcomeOf);
      if (!outcome) return replyTo([]);
      if (outcome.status !== 503 || clock.now() + pause > read.received + patience) return refuse(outcome);
      await clock.sleep(pause);
    }
  }

  function refuse(outcome: Outcome): HttpResponse {
    log.error({ rule: deadLetter.name }, `The dead-lettered event was not kept: ${outcome.message}`);
    return replyTo([outcome]);
  }

  // Not async: what waits for minutes would hold the request, with its body.
  return (request) => {
    try {
      // As it is kept, and of strings of its own: it may wait for minutes.
      return recordPatiently(JSON.parse(textOf(readDeadLetteredEvent(request, clock.now()))));
    } catch (error) {
      return Promise.resolve(refuse(outcomeOf(error)));
    }
  };
}

type RingBuffer = KubernetesObject & { data?: Record<string, string> };

/** The events that the ring buffer took, by their keys, and since when such events fail. */
type Kept = ReadonlyMap<string, { readonly since?: number | undefined }>;

/** Adds events to the ring buffer. */
async function keep(
  client: Client,
  events: readonly DeadLetteredEvent[],
  { namespace, configMap: name }: Settings,
): Promise<Kept> {
  for (let attempt = 1; ; attempt++) {
    try {
      const present = await client.get<RingBuffer>(ConfigMap, namespace, name);
      const change = additions(present?.data ?? {}, events);
      const taken = new Map(
        Object.entries(change).flatMap(([key, text]) =>
          text === null ? [] : [[key, { since: readKeptEvent(text)?.since }] as const],
        ),
      );
      if (present) {
        const { uid, resourceVersion } = present.metadata;
        const patch = { metadata: { uid, resourceVersion }, data: change };
        if (Object.keys(change).length === 0 || (await client.patch(ConfigMap, namespace, name, "merge", patch)))
          return taken;
      } else {
        const { apiVersion, kind } = ConfigMap;
        const metadata = { namespace, name } as KubernetesObject["metadata"];
        const data = Object.entries(change).filter(([, text]) => text !== null);
        await client.create(ConfigMap, { apiVersion, kind, metadata, data: Object.fromEntries(data) });
        return taken;
      }
    } catch (error) {
      if (attempt === attempts || !(isConflict(error) || isAlreadyExists(error))) throw error;
    }
  }
}

/** What changes in the ring buffer's data when several events are added, one after the other. */
function additions(data: Record<string, string>, events: readonly DeadLetteredEvent[]): Record<string, string | null> {
  let change: Record<string, string | null> = {};
  for (const event of events) {
    const sofar = Object.entries({ ...data, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    const present = Object.fromEntries(sofar);
    change = { ...change, ...added(present, withSince(present, event)) };
  }
  return change;
}

async function show(
  client: Client,
  event: DeadLetteredEvent,
  circumstances: Circumstances,
  now: number,
): Promise<void> {
  const { kind, apiversion, namespace, name } = event.attributes;
  if (!kind || !apiversion || !name) return;
  const known =
    shownOn.find((candidate) => candidate.kind === kind && candidate.apiVersion === apiversion) ??
    (await discoverKind(client, apiversion, kind));
  if (!known) return;
  const about = await client.get(known, namespace, name, { metadataOnly: true });
  if (!about) return;
  const note = adviceOn(event, `this ${known.kind}`, circumstances);
  const { found } = circumstances;
  // Several functions may refuse one event: each has an Event of its own.
  const distinct = typeof found === "object" ? found.name : found;
  await recordEvent(
    client,
    about,
    deadLetter.name,
    { type: "Warning", reason: "EventDeadLettered", note, distinct },
    now,
  );
}
