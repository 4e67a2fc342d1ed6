import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { Node } from "../../shared/kubernetes/kind.ts";
import { knownOf, listing } from "./use-list.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a list that the API server has no time for is asked for again, when the API server says so", async () => {
  vi.useFakeTimers();
  const busy = () => Response.json({ message: "too many requests" }, { status: 429, headers: { "retry-after": "7" } });
  const fetch = vi.fn(async () => busy());
  vi.stubGlobal("fetch", fetch);
  const observer = new QueryObserver(new QueryClient(), listing({ kind: Node }));
  const stop = observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(6_900);
  expect([fetch.mock.calls.length, observer.getCurrentResult().error]).toEqual([1, null]);
  fetch.mockImplementation(async () => Response.json({ metadata: { resourceVersion: "5" }, items: [] }));
  await vi.advanceTimersByTimeAsync(200);
  expect(observer.getCurrentResult().data?.resourceVersion).toBe("5");
  stop();
});

test.each([
  [500, "etcdserver: request timed out"],
  [410, "The provided continue parameter is too old."],
])("a list that fails with %s is asked for again, and meanwhile the page says why", async (status, message) => {
  vi.useFakeTimers();
  const fetch = vi.fn(async () => Response.json({ message }, { status }));
  vi.stubGlobal("fetch", fetch);
  const observer = new QueryObserver(new QueryClient(), listing({ kind: Node }));
  const stop = observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch.mock.calls.length).toBeGreaterThan(5);
  expect(knownOf(observer.getCurrentResult())).toEqual({ is: "refused", message });
  fetch.mockImplementation(async () => Response.json({ metadata: { resourceVersion: "5" }, items: [] }));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(knownOf(observer.getCurrentResult())).toEqual({ is: "ready", objects: [] });
  stop();
});

test("a list whose connection breaks within the answer is asked for again", async () => {
  vi.useFakeTimers();
  const whole = JSON.stringify({ metadata: { resourceVersion: "5" }, items: [] });
  const broken = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(whole.slice(0, 9))),
    pull: (controller) => controller.error(new TypeError("network error")),
  });
  const fetch = vi.fn(async () => new Response(whole)).mockImplementationOnce(async () => new Response(broken));
  vi.stubGlobal("fetch", fetch);
  const observer = new QueryObserver(new QueryClient(), listing({ kind: Node }));
  const stop = observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(600);
  expect(observer.getCurrentResult().data?.resourceVersion).toBe("5");
  stop();
});

test("a kind that is installed while a page shows that it is not, is shown without a reload", async () => {
  vi.useFakeTimers();
  const fetch = vi.fn(async () => Response.json({ message: "404 page not found" }, { status: 404 }));
  vi.stubGlobal("fetch", fetch);
  const observer = new QueryObserver(new QueryClient(), listing({ kind: Node }));
  const seen: string[] = [];
  const see = () => seen.push(knownOf(observer.getCurrentResult()).is);
  const stop = observer.subscribe(see);
  await vi.advanceTimersByTimeAsync(600_000);
  // Without a moment in between in which it would be shown as being read.
  expect(seen.slice(seen.indexOf("absent"))).toEqual(seen.filter((is) => is === "absent"));
  see();
  expect(seen.at(-1)).toBe("absent");
  // At a slow pace, because for most kinds this never changes.
  expect(fetch.mock.calls.length).toBeLessThan(12);
  fetch.mockImplementation(async () => Response.json({ metadata: { resourceVersion: "5" }, items: [] }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(knownOf(observer.getCurrentResult())).toEqual({ is: "ready", objects: [] });
  stop();
});

test("a list that is refused is not asked for again by itself", async () => {
  vi.useFakeTimers();
  const fetch = vi.fn(async () => Response.json({ message: "You may not list nodes." }, { status: 403 }));
  vi.stubGlobal("fetch", fetch);
  const observer = new QueryObserver(new QueryClient(), listing({ kind: Node }));
  const stop = observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(600_000);
  expect(knownOf(observer.getCurrentResult())).toEqual({ is: "refused", message: "You may not list nodes." });
  expect(fetch).toHaveBeenCalledOnce();
  stop();
});
