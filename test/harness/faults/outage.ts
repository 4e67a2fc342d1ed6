import type { Clock } from "../../../shared/clock.ts";
import type { Streams } from "../simulated/streams.ts";
import { pick } from "./api.ts";

/** What an outage does to a request of a function: a late one is carried out so many milliseconds after it failed. */
export type OutageVerdict = "pass" | "unreachable" | { readonly late: number };

/** Something that functions ask, and that may be away. */
export interface OutageTarget {
  /** As an object names it that waits for it; upper and lower case do not matter. */
  readonly name: string;
  /** `path` as the gate sees it: `/<system>/…`, or `/<system>@<host>/…` at another address than the one that is set. */
  takes(path: string): boolean;
  /** What a request is about that its path and its body do not name: the host of a server. */
  about?(path: string): string;
  /** Texts in requests to a part of it, of which one alone is away then: the others have to go on. */
  readonly parts?: readonly string[];
}

/** One thing that functions need is away for a while; nothing else goes wrong in the run. */
export interface Outage {
  /** A target's name, or `api`, `events` or `sweep`. */
  readonly what: string;
  /** The part of the target that alone is away. */
  readonly part: string | undefined;
  readonly begins: number;
  readonly ends: number;
  /** It begins so and so long after this moment. Until then nothing is away. */
  start(): void;
  /** Whether it is away now. */
  isOn(): boolean;
  /** Draws whether a write is carried out late. */
  verdictOn(path: string, body: string, write: boolean): OutageVerdict;
  /** When the first request was refused; `undefined` while none was. Milliseconds since the epoch. */
  readonly refusedSince: number | undefined;
  /** The same of the last one. */
  readonly refusedLast: number | undefined;
  /** When the last late request is carried out. */
  readonly lastLate: number;
}

/** An outage that was chosen; only its times are drawn. */
export interface ChosenOutage {
  /** A target's name, or `api`, `events` or `sweep`. */
  readonly what: string;
  /** A text in requests to it, of which alone it is away; of the API server, an object as its path ends. */
  readonly part?: string;
  /** It begins at a moment between these (milliseconds of the run). */
  readonly between: readonly [number, number];
}

/** Nodes are named so in the simulation's scenarios. */
const nodes = /\b(node-\d+|holdfast-(bare-)?node)\b/;
/** One in so many writes is carried out after its caller has given up. */
const oneLate = 4;
/** How late, at most (milliseconds). A function that waits for ten minutes must be right; an API server gives up. */
const latest = { external: 540_000, api: 60_000 };

/**
 * Draws an outage: an external system twice as often as the API server, the events or the sweep. It begins within 40 s
 * and lasts from 20 s to four minutes, which is longer than a broker retries (16 s); every third outage of an external
 * system is one of a single node. Where a target has parts, one of them is away, and for up to eight minutes.
 */
export function drawOutage(
  streams: Streams,
  clock: Clock,
  targets: readonly OutageTarget[],
  chosen?: ChosenOutage,
): Outage {
  const random = streams(chosen ? `outage of ${chosen.part ?? ""} ${chosen.what}` : "outage");
  const divided = chosen ? undefined : targets.find(({ parts }) => parts);
  const target = chosen
    ? targets.find(({ name }) => name === chosen.what)
    : (divided ?? pick(random, [...targets, ...targets, undefined, undefined, undefined]));
  const what = chosen?.what ?? target?.name ?? pick(random, ["api", "events", "sweep"]);
  const [from, to] = chosen?.between ?? [0, 40_000];
  const after = from + random.below(to - from);
  const lasts = 20_000 + random.below(divided ? 460_000 : 220_000);
  let begins = Number.POSITIVE_INFINITY;
  const part = chosen?.part ?? (target?.parts && pick(random, target.parts));
  const isOneNode = target !== undefined && !chosen && !divided && random.below(3) === 0;
  let only: string | undefined;
  let refusedSince: number | undefined;
  let refusedLast: number | undefined;
  let lastLate = 0;
  const isOn = () => clock.now() >= begins && clock.now() < begins + lasts;
  const meets = (path: string, body: string) => {
    if (!isOn()) return false;
    if (!target) return what === "api" && path.startsWith("/api") && (part === undefined || isOf(path, part));
    if (!target.takes(path)) return false;
    const text = `${path} ${body} ${target.about?.(path) ?? ""}`;
    if (part !== undefined) return text.includes(part);
    if (!isOneNode) return true;
    const [node] = nodes.exec(text) ?? [];
    only ??= node;
    return node !== undefined && node === only;
  };
  return {
    ...{ what, part, isOn },
    start() {
      begins = clock.now() + after;
    },
    get begins() {
      return begins;
    },
    get ends() {
      return begins + lasts;
    },
    verdictOn(path, body, write) {
      if (!meets(path, body)) return "pass";
      refusedLast = clock.now();
      refusedSince ??= refusedLast;
      if (!write || random.below(oneLate) > 0) return "unreachable";
      const late = 1_000 + random.below(path.startsWith("/api") ? latest.api : latest.external);
      lastLate = Math.max(lastLate, clock.now() + late);
      return { late };
    },
    get refusedSince() {
      return refusedSince;
    },
    get refusedLast() {
      return refusedLast;
    },
    get lastLate() {
      return lastLate;
    },
  };
}

/** Whether a path is that of an object, or of a part of it, by how the path of the object ends. */
const isOf = (path: string, object: string) => path.endsWith(`/${object}`) || path.includes(`/${object}/`);
