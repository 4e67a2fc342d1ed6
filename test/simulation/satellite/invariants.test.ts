import { expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { createLinstor } from "../../../local/linstor/linstor.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import type { SystemRequest } from "../../../shared/system/transport.ts";
import { faultSchedule } from "../../harness/faults/schedule.ts";
import { streamsOf } from "../../harness/simulated/streams.ts";
import { startTrace } from "../../harness/simulated/trace.ts";
import type { Truth } from "../invariants/invariant.ts";
import { evacuatesOnceAtATime, evacuatesWhatIsSafe, keepsTheLastCopy } from "./invariants.ts";
import { simulatedLinstor } from "./linstor.ts";

test("a volume without a good copy is found, unless a person has given it up", () => {
  const standIn = createLinstor({ clock: virtualClock(), random: seededRandom(1) });
  standIn.addVolume("data", { copies: ["node-1"] });
  const forfeited = new Set<string>();
  const linstor = { standIn, forfeited, volumes: new Set(["data"]) };
  const truth = { outsides: new Map([["satellite", linstor]]) } as unknown as Truth;
  const judge = () => keepsTheLastCopy.check({} as never, truth);
  expect(judge()).toBeUndefined();
  standIn.setDisk("data", "node-1", "Outdated");
  expect(judge()).toBe("Volume data has lost its last copy.");
  forfeited.add("data");
  expect(judge()).toBeUndefined();
});

const call: SystemRequest = { method: "PUT", path: "/v1/nodes/node-1/evacuate", headers: {}, body: "{}" };

/** LINSTOR under a number whose calls to evacuate meet a fault or do not, and what is found of calls at once. */
function judged(number: number, faults: boolean) {
  const clock = virtualClock();
  const streams = streamsOf(number);
  const trace = startTrace(clock);
  const found: (string | undefined)[] = [];
  const linstor = simulatedLinstor({
    clock,
    streams,
    trace,
    schedule: faultSchedule(streams, new Set()),
    faults,
    drop: 0,
    occur: (occurrence) => {
      for (const { checkOutside } of [evacuatesOnceAtATime, evacuatesWhatIsSafe])
        found.push(checkOutside?.(occurrence, {} as Truth));
    },
    post: () => {},
  });
  return { clock, linstor, found, trace };
}

test("two evacuate calls that LINSTOR is at work on together are found", async () => {
  const { clock, linstor, found } = judged(1, false);
  const both = [linstor.transport(call), linstor.transport(call)];
  await clock.advance(60_000);
  await Promise.all(both);
  expect(found).toContain("LINSTOR is at work on 2 evacuate calls for node-1.");
});

test("a call that the network delivers twice counts once, and what it may lose is not held against us", async () => {
  for (let number = 1; ; number++) {
    const { clock, linstor, found, trace } = judged(number, true);
    linstor.standIn.addVolume("single", { copies: ["node-1"] });
    linstor.standIn.addVolume("double", { copies: ["node-1", "node-2"] });
    linstor.volumes.add("single").add("double");
    const answer = linstor.transport(call).catch(() => {});
    await clock.advance(200_000);
    await answer;
    if (!trace.lines.some((line) => line.includes("sends the call to evacuate node-1 again"))) continue;
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(Boolean)).toEqual([]);
    expect([...linstor.forfeited]).toEqual(["single"]);
    return;
  }
});

test.each([
  ["is stale", ["LINSTOR is asked to evacuate node-1, and no copy of single is known to be good."]],
  ["is on a node whose satellite has just gone", []],
])("a call for a node whose only copy %s", async (what, wrong) => {
  const { clock, linstor, found } = judged(1, false);
  const address = { address: "10.0.0.1", satellite_port: 3366, satellite_encryption_type: "Plain" };
  const node = { name: "node-1", type: "Satellite", net_interfaces: [{ name: "default", ...address }] };
  linstor.standIn.startSatellite(address.address);
  const registered = linstor.transport({ method: "POST", path: "/v1/nodes", headers: {}, body: JSON.stringify(node) });
  linstor.standIn.addVolume("single", { copies: ["node-1"] });
  await clock.advance(20_000);
  await registered;
  if (what === "is stale") linstor.standIn.setDisk("single", "node-1", "Outdated");
  else linstor.stop("node-1");
  await clock.advance(10_000);
  const answer = linstor.transport(call);
  await clock.advance(60_000);
  await answer;
  expect(found.filter(Boolean)).toEqual(wrong);
  // LINSTOR has deleted the stale one, and keeps the other.
  expect(linstor.standIn.hasCopy("single", "node-1")).toBe(wrong.length === 0);
});
