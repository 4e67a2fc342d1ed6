import type { QueryClient } from "@tanstack/react-query";
import { setOutdated } from "./connection.ts";
import { createFollowed, type Followed, keyOf, type WatchEvent } from "./followed.ts";
import { linesOf } from "./lines.ts";
import type { Selection } from "./list.ts";
import { Refusal, saySignedOut, send } from "./request.ts";

/** One line of the stream: that one watch has begun, a change, its end; or, without a path, a sign of life. */
interface Line {
  readonly path?: string;
  readonly event?: WatchEvent;
  readonly end?: { readonly status: number; readonly message?: string };
}

/** Milliseconds between two tries after a failure. */
const [firstWait, longestWait] = [500, 15_000];
/** The server says something every 15 seconds: after a silence of so many milliseconds nothing will come. */
const silence = 40_000;
/** After so many milliseconds a page that is not seen gives its connection back. */
const hiddenFor = 10_000;
/** The selections of a page come one after the other: they are asked for together. */
const gather = 30;

/** What is shown now. All of it comes over one connection: a browser has six, for all of its tabs. */
const shown = new Map<string, Followed>();
let connection = new AbortController();
let isRunning = false;

/** Keeps a listed selection up to date in the cache until the returned function is called. */
export function follow(cache: QueryClient, selection: Selection): () => void {
  const name = JSON.stringify(keyOf(selection));
  const followed = shown.get(name) ?? createFollowed(cache, selection);
  followed.pages++;
  if (!shown.has(name)) {
    shown.set(name, followed);
    reconnect();
  }
  return () => {
    followed.pages--;
    if (followed.pages > 0) return;
    shown.delete(name);
    setOutdated(selection, undefined);
    // A page that is opened again shows what was there, and its watch goes on from there. A list would undo changes.
    if (followed.isOver) void cache.invalidateQueries({ queryKey: keyOf(selection), refetchType: "none" });
    reconnect();
  };
}

/** Asks for what is shown now, and for nothing else, with the credential that there is now. */
export function reconnect(): void {
  connection.abort();
  connection = new AbortController();
  if (!isRunning) void run();
}

async function run(): Promise<void> {
  isRunning = true;
  let wait = firstWait;
  while (shown.size > 0) {
    const { signal } = connection;
    await pause(gather, signal);
    if (signal.aborted) continue;
    await visible();
    try {
      await stream(
        [...shown.values()].filter(({ isOver }) => !isOver),
        signal,
        () => {
          wait = firstWait;
        },
      );
      await pause(firstWait, signal);
    } catch (error) {
      if (signal.aborted || document.hidden) continue;
      // The page asks for another credential, and resumes then.
      if (error instanceof Refusal && error.status === 401) {
        saySignedOut();
        break;
      }
      for (const { selection, isOver } of shown.values()) if (!isOver) setOutdated(selection, "away");
      await pause(wait * (0.5 + Math.random() / 2), signal);
      wait = Math.min(wait * 2, longestWait);
    }
  }
  isRunning = false;
}

/**
 * Lists again what cannot be resumed. One that fails holds no other one up: it is given up where it is refused, and
 * stays stale where another try is worth it. Returns why some have to be tried again.
 */
async function relistStale(all: readonly Followed[], signal: AbortSignal): Promise<Error | undefined> {
  const reasons: Error[] = [];
  const relist = async (one: Followed) => {
    try {
      await one.relist(signal);
    } catch (error) {
      const status = error instanceof Refusal ? error.status : undefined;
      if (signal.aborted || status === 401) throw error;
      one.isOver = isRefused(status);
      if (!one.isOver) reasons.push(error as Error);
      setOutdated(one.selection, one.isOver ? "unwatched" : "away");
    }
  };
  await Promise.all(all.filter(({ isStale }) => isStale).map(relist));
  return reasons[0];
}

/** The user may not have it, or the API server does not serve it. */
const isRefused = (status: number | undefined) => status === 403 || status === 404;

/** Follows until a watch has ended, so that it is resumed beside the others. */
async function stream(all: readonly Followed[], signal: AbortSignal, onOpen: () => void): Promise<void> {
  if (all.length === 0) return pause(longestWait, signal);
  const reason = await relistStale(all, signal);
  const watched = all.filter(({ isStale, isOver }) => !isStale && !isOver);
  if (watched.length === 0) {
    if (reason) throw reason;
    return;
  }
  const byPath = new Map(watched.map((one) => [one.path(), one]));
  const query = [...byPath.keys()].map((path) => `path=${encodeURIComponent(path)}`).join("&");
  const quiet = new AbortController();
  const stopLooking = abortWhenHidden(quiet);
  const opened = AbortSignal.any([signal, quiet.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), silence);
  };
  // What could not be listed again is tried again then, and the others are resumed with it.
  let isDue = false;
  const due =
    reason &&
    setTimeout(() => {
      isDue = true;
      quiet.abort();
    }, longestWait);
  try {
    heard();
    const { body } = await send(`/watch?${query}`, { signal: opened });
    if (!body) return;
    const unheard = new Set(watched);
    for await (const text of linesOf(body)) {
      heard();
      const line = JSON.parse(text) as Line;
      const one = byPath.get(line.path ?? "");
      // The console's server lives: of the API server this says nothing.
      if (!one) continue;
      if (line.event && !take(one, line.event)) return;
      if (line.end && ended(one, line.end)) return;
      if (!unheard.delete(one)) continue;
      setOutdated(one.selection, one.isOver ? "unwatched" : undefined);
      if (unheard.size === 0) onOpen();
    }
  } catch (error) {
    if (!isDue) throw error;
  } finally {
    clearTimeout(timer);
    if (due) clearTimeout(due);
    stopLooking();
    // The response is not read to its end where another one is to be asked for.
    quiet.abort();
  }
}

/** Whether the watch goes on after the event. */
function take(one: Followed, event: WatchEvent): boolean {
  if (event.type !== "ERROR") {
    one.apply(event);
    return true;
  }
  one.isStale = true;
  return false;
}

/** Whether all are to be asked for again, now that this one has ended. */
function ended(one: Followed, { status, message = "" }: NonNullable<Line["end"]>): boolean {
  if (status === 200) return true;
  if (status === 410) {
    one.isStale = true;
    return true;
  }
  if (isRefused(status)) {
    one.isOver = true;
    return false;
  }
  throw status === 401 ? new Refusal(status, message) : new Error(message);
}

async function visible(): Promise<void> {
  while (document.hidden)
    await new Promise<void>((resolve) =>
      document.addEventListener("visibilitychange", () => resolve(), { once: true }),
    );
}

/** Gives the connection back when the page has been hidden for a while. */
function abortWhenHidden(controller: AbortController): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => controller.abort(), hiddenFor);
  };
  document.addEventListener("visibilitychange", onChange);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onChange);
  };
}

/** Resolves after so many milliseconds, or when the signal aborts. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const timer = setTimeout(stop, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
