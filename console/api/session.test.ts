import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { askAgain, type Session, signedOut } from "./session.ts";

afterEach(() => vi.unstubAllGlobals());

/** What the page keeps of the former user, and the number of the session, after the next sign-in. */
async function after(former: Session, next: Session) {
  const cache = new QueryClient();
  cache.setQueryData(["session"], { number: 1, ...former });
  cache.setQueryData(["claims"], ["data"]);
  signedOut(cache);
  vi.stubGlobal("fetch", async () => Response.json(next));
  await askAgain(cache);
  return [cache.getQueryData(["claims"]), cache.getQueryData<Session>(["session"])?.number];
}

test.each<[string, string | null, string | null, boolean]>([
  ["the same user", "anna", "anna", true],
  ["another user", "anna", "ben", false],
  ["a user that the API server does not name", "anna", null, false],
  ["one such user after another", null, null, false],
])("what is open in a page stays for the same user alone: %s", async (_, former, next, stays) => {
  const found = await after({ signedIn: true, user: former }, { signedIn: true, user: next });
  expect(found).toEqual(stays ? [["data"], 1] : [undefined, 2]);
});
