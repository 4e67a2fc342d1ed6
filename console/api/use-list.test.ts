import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { Node } from "../../shared/kubernetes/kind.ts";
import { listing } from "./use-list.ts";

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
