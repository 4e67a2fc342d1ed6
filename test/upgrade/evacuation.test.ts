import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { marksOn } from "../../functions/satellite/lib/volumes.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { administratorOf } from "../satellite/administrator.ts";
import { openSatelliteHarness, present, type SatelliteHarness, type SatelliteRelease } from "../satellite/harness.ts";
import { watchInvariants } from "../satellite/invariants.ts";
import { loadPrevious, previousCommit } from "./previous-release.ts";

if (!previousCommit)
  console.log(
    "No upgrade is tried: this clone has no commit of the previous release. git fetch --unshallow brings it.",
  );

const node = "node-1";
const volumes = ["pvc-1", "pvc-2", "pvc-3"];

describe.skipIf(!previousCommit)("in the middle of an evacuation", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-previous-"));
  let previous: SatelliteRelease;
  /** How an evacuation ends that no upgrade disturbs, and after how many writes. */
  let undisturbed: Awaited<ReturnType<typeof evacuate>>;

  beforeAll(async () => {
    const release = await loadPrevious(folder);
    previous = { ...release, rules: release.rules.filter(({ name }) => name.startsWith("satellite/")) };
    undisturbed = await evacuate(previous, () => undefined);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("the previous release is another one, and takes part in what follows", () => {
    expect(previous.rules.length).toBeGreaterThan(10);
    expect(previous.receive).not.toBe(present.receive);
    expect(undisturbed.writes).toBeGreaterThan(20);
  });

  test.each([0, 0.25, 0.5, 0.75])(
    "an upgrade after %d of its writes, and back, changes nothing of its end",
    async (part) => {
      const upgradeAt = Math.ceil(undisturbed.writes * part);
      const backAt = upgradeAt + Math.ceil(undisturbed.writes / 5);
      const { end, calls } = await evacuate(previous, (write) =>
        write === upgradeAt ? present : write === backAt ? previous : undefined,
      );
      expect(end).toEqual(undisturbed.end);
      expect(calls).toEqual(undisturbed.calls);
    },
  );

  test("to go on with every other release after each third write changes nothing of its end", async () => {
    const { end, calls } = await evacuate(previous, (write) =>
      write % 3 === 0 ? (write % 2 === 0 ? present : previous) : undefined,
    );
    expect(end).toEqual(undisturbed.end);
    expect(calls).toEqual(undisturbed.calls);
  });
});

/** Deletes a Machine whose satellite has volumes, and returns how it ends. `next` says what runs after each write. */
async function evacuate(first: SatelliteRelease, next: (write: number) => SatelliteRelease | undefined) {
  const harness = await openSatelliteHarness({ release: first });
  try {
    watchInvariants(harness);
    const admin = administratorOf(harness);
    await harness.machine("control", "node-4", { labels: { "cluster.x-k8s.io/control-plane": "" } });
    await harness.machine("worker", node);
    await admin.hooked("worker");
    await harness.volume("pvc-1", [node, "node-2"], { attached: node });
    await harness.volume("pvc-2", [node, "node-2"], { attached: node, bound: true });
    await harness.volume("pvc-3", [node]);
    let writes = 0;
    harness.onWrite({
      async after() {
        const release = next(writes++);
        if (release) await harness.run(release);
      },
    });
    await harness.delete(Machine, "worker");
    await admin.gone(Machine, "worker");
    await admin.gone(Node, node);
    await admin.gone(LinstorSatellite, node);
    // What would still be written would be here by now.
    await harness.clock.advance(600_000);
    expect(harness.failures).toEqual([]);
    return { end: await endOf(harness, await admin.isListed(node)), calls: harness.calls, writes };
  } finally {
    await harness.stop();
  }
}

async function endOf(harness: SatelliteHarness, isListed: boolean) {
  const marks: Record<string, readonly string[]> = {};
  for (const name of volumes) {
    const volume = await harness.get(PersistentVolume, name);
    marks[name] = marksOn(volume?.metadata.annotations, node);
  }
  const copies = volumes.map((name) => harness.linstor.goodCopies(name).length);
  return { isListed, marks, copies, onNode: volumes.filter((name) => harness.linstor.goodCopies(name).includes(node)) };
}
