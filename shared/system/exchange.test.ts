import { expect, test } from "vitest";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { exchangeWith } from "./exchange.ts";
import type { SystemTransport } from "./transport.ts";

const request = { method: "GET", path: "/v1/things?secret=1", headers: {} } as const;
const answering: SystemTransport = async () => ({ status: 503, headers: {}, body: "later" });

test("an answer with any status is returned", async () => {
  const exchange = exchangeWith("Crane", answering, virtualClock(), 5000);
  expect(await exchange(request)).toEqual({ status: 503, headers: {}, body: "later" });
});

test("none in time is unreachable, in a sentence that names no query, and the request is given up", async () => {
  const clock = virtualClock();
  let signal: AbortSignal | undefined;
  const silent: SystemTransport = (sent) => {
    signal = sent.signal;
    return new Promise(() => {});
  };
  const asked = exchangeWith("Crane", silent, clock, 5000)(request).catch((error) => error);
  await clock.advance(4999);
  expect(signal?.aborted).toBe(false);
  await clock.advance(1);
  expect(await asked).toMatchObject({
    name: "SystemError",
    failure: "unreachable",
    message: expect.stringMatching(
      /^Crane could not be asked \(GET \/v1\/things\): it did not answer within 5 s\. Look /,
    ),
  });
  expect(signal?.aborted).toBe(true);
});

test("a broken connection is unreachable, with its cause", async () => {
  const cause = new Error("read ECONNRESET");
  const asked = exchangeWith("Crane", () => Promise.reject(cause), virtualClock(), 5000)(request);
  await expect(asked).rejects.toMatchObject({ failure: "unreachable", unsent: false, cause });
});

test("a connection that never came about is unreachable, and says that nothing was sent", async () => {
  const cause = Object.assign(new Error("connect ECONNREFUSED"), { unsent: true });
  const asked = exchangeWith("Crane", () => Promise.reject(cause), virtualClock(), 5000)(request);
  await expect(asked).rejects.toMatchObject({ failure: "unreachable", unsent: true, cause });
});
