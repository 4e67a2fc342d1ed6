import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { refusalIn, reviewing } from "./access.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const write = { verb: "patch", kind: PersistentVolume, name: "pv-1", uid: "u-1", patch: {} } as const;

/** A page with a button for the write, while the API server gives an answer that can be changed. */
function open(first: () => Response) {
  const fetch = vi.fn(async () => first());
  vi.stubGlobal("fetch", fetch);
  const observer = new QueryObserver(new QueryClient(), reviewing({ verb: "patch", resource: "persistentvolumes" }));
  const leave = observer.subscribe(() => {});
  return { fetch, leave, refused: () => refusalIn(observer.getCurrentResult(), write) };
}

test.each([
  ["away", 502],
  ["broken", 500],
])("after an API server that was %s, an open page learns what its user may do", async (_, status) => {
  const { fetch, leave, refused } = open(() => Response.json({ message: "Not now." }, { status }));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(refused()).toBe("It is not known whether you may do this: Not now.");
  // Less and less often.
  expect(fetch.mock.calls.length).toBeLessThan(50);
  fetch.mockImplementation(async () => Response.json({ status: { allowed: true } }));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(refused()).toBeUndefined();
  leave();
});

test("what the API server has refused to answer is not asked again", async () => {
  const { fetch, leave, refused } = open(() => Response.json({ message: "Sign in first." }, { status: 401 }));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(refused()).toBe("It is not known whether you may do this: Sign in first.");
  expect(fetch).toHaveBeenCalledOnce();
  leave();
});
