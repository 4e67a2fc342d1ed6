import { expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { createLinstor } from "../../../local/linstor/linstor.ts";
import { virtualClock } from "../../../local/time/virtual-clock.ts";
import type { SystemRequest } from "../../../shared/system/transport.ts";
import { faultSchedule } from "../faults/schedule.ts";
import type { Truth } from "../invariants/invariant.ts";
import { streamsOf } from "../streams.ts";
import { startTrace } from "../trace.ts";
import { evacuatesOnceAtATime, keepsTheLastCopy } from "./invariants.ts";
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

test("two evacuate calls that LINSTOR is at work on together are found", async () => {
  const clock = virtualClock();
  const streams = streamsOf(1);
  const found: (string | undefined)[] = [];
  const linstor = simulatedLinstor({
    clock,
    streams,
    trace: startTrace(clock),
    schedule: faultSchedule(streams, new Set()),
    faults: false,
    drop: 0,
    occur: (occurrence) => found.push(evacuatesOnceAtATime.checkOutside?.(occurrence, {} as Truth)),
    post: () => {},
  });
  const call: SystemRequest = { method: "PUT", path: "/v1/nodes/node-1/evacuate", headers: {}, body: "{}" };
  const both = [linstor.transport(call), linstor.transport(call)];
  await clock.advance(60_000);
  await Promise.all(both);
  expect(found).toContain("LINSTOR is at work on 2 evacuate calls for node-1.");
});
