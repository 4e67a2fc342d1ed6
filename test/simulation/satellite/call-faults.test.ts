import { expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { leaseSeconds } from "../../../functions/satellite/evacuate/calls.ts";
import { linstor } from "../../../functions/satellite/lib/linstor/system.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { callFaults } from "./call-faults.ts";

const answered = { status: 200, headers: {}, body: "[]" };
/** Milliseconds that LINSTOR is at work on a call. */
const work = 4_000;

/** What comes of a call: what its sender hears and when, and how often LINSTOR carries it out, from when to when. */
async function happens(name: string) {
  const clock = virtualClock();
  const began = clock.now();
  const carriedOut: { from: number; to: number }[] = [];
  let deployTime = 0;
  const send = async () => {
    const from = clock.now() - began;
    await clock.sleep(work + deployTime);
    carriedOut.push({ from, to: clock.now() - began });
    return answered;
  };
  const deployIn = (milliseconds = 0) => {
    deployTime = milliseconds;
  };
  const fault = callFaults[name];
  if (!fault) throw new Error(`There is no ${name}.`);
  const heard: { at: number; as: number | string }[] = [];
  const hear = (as: number | string) => heard.push({ at: clock.now() - began, as });
  fault({ clock, random: seededRandom(3), send, deployIn }).then(
    ({ status }) => hear(status),
    (error: Error) => hear(error.message),
  );
  await clock.advance(300_000);
  expect(heard).toHaveLength(1);
  return { carriedOut, heard: heard[0] as { at: number; as: number | string } };
}

test.each([
  ["the connection drops while LINSTOR works", "socket hang up"],
  ["the connection drops before LINSTOR begins", "socket hang up"],
  ["a proxy gives up while LINSTOR works", 504],
])("%s: the sender hears of a failure, and LINSTOR carries it out after that", async (name, as) => {
  const { carriedOut, heard } = await happens(name);
  expect(carriedOut).toHaveLength(1);
  expect(heard.as).toBe(as);
  expect(heard.at).toBeLessThan(carriedOut[0]?.to ?? 0);
});

test("what lies on its way begins late, and is heard of in time", async () => {
  const { carriedOut, heard } = await happens("LINSTOR begins late");
  expect(carriedOut).toHaveLength(1);
  expect(carriedOut[0]?.from).toBeGreaterThan(0);
  expect(heard).toEqual({ at: carriedOut[0]?.to, as: 200 });
});

test("LINSTOR works longer than a function listens, and shorter than it holds the Lease", async () => {
  const { carriedOut } = await happens("LINSTOR works longer than anybody listens");
  expect(carriedOut).toHaveLength(1);
  expect(carriedOut[0]?.to).toBeGreaterThan(linstor.settings.parse({}).linstorCommandTimeout);
  expect(carriedOut[0]?.to).toBeLessThan(1_000 * leaseSeconds);
});

test.each([
  ["a proxy sends it twice at once", true],
  ["a proxy sends it again later", false],
])("%s: LINSTOR is at work on both together: %s", async (name, together) => {
  const { carriedOut, heard } = await happens(name);
  expect(heard.as).toBe(200);
  const [first, second] = carriedOut;
  expect(carriedOut).toHaveLength(2);
  expect((second?.from ?? 0) < (first?.to ?? 0)).toBe(together);
});

test("every fault is held to what it is called", () => expect(Object.keys(callFaults)).toHaveLength(7));
