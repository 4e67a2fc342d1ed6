import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Attributes } from "../../../eventing/event/cloud-event.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** A request that was recorded, see README.md. */
export interface Recorded {
  readonly recorded: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | string;
  readonly status?: number;
  /** What was replied, where it said something. */
  readonly reply?: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

/** An object as it was stored, see README.md. */
export interface StoredObject {
  readonly recorded: string;
  readonly object: KubernetesObject & { readonly spec: object };
}

const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, "recorded", file), "utf8"));

/** The requests in a file. */
export const recordings = (file: "sources" | "hops" | "dead-letters" | "sweep") => read(`${file}.json`) as Recorded[];

/** Objects as they were stored after Knative's webhooks, without status and what every write changes. */
export const recordedObjects = () => read("objects.json") as StoredObject[];

/** A stale channel of the namespace `holdfast`, and the uids of its Subscriptions. */
export const recordedChannel = () =>
  read("channel.json") as { readonly channel: KubernetesObject; readonly subscriptions: readonly string[] };

/** The body as it was sent. */
export const textOf = ({ body }: Recorded): string => (typeof body === "string" ? body : JSON.stringify(body));

/** The request as a function or a broker takes it. */
export const requestOf = (recorded: Recorded) => ({ headers: recorded.headers, body: textOf(recorded) });

/** The attributes of the event, but for those that are other ones each time. */
export function attributesOf({ headers }: Pick<Recorded, "headers">, ...without: readonly string[]): Attributes {
  const entries = Object.entries(headers).filter(([name]) => name.startsWith("ce-"));
  return Object.fromEntries(
    entries.map(([name, value]) => [name.slice(3), value] as const).filter(([name]) => !without.includes(name)),
  );
}
