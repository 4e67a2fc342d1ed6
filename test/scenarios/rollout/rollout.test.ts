import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  editClaim,
  eventually,
  freeClaim,
  giveNamespaceTo,
  heldClaim,
  isGone,
  madeBy,
  overwrite,
  progressOf,
  reasonsOn,
  roll,
  share,
  takeAway,
  trafficOf,
} from "./helpers.ts";
import { type Laptop, openLaptop } from "./laptop.ts";

const release = "pvc-protection/release";
const service = "pvc-protection-release";
const hour = 3_600_000;
const patient = { timeout: 60_000 };

describe("one function at a time, by processes of real bundles", () => {
  let laptop: Laptop;
  beforeAll(async () => {
    laptop = await openLaptop();
  }, 180_000);
  afterAll(() => laptop?.stop(), 30_000);

  test(
    "release, in the middle of holding a claim, is rolled to a newer version and back: nothing is lost, " +
      "nothing repeated",
    async () => {
      const first = await roll(laptop, release, "now");
      const written = await heldClaim(laptop, "held", "data");
      expect(written).toMatchObject({ v: 1, step: "held" });

      await roll(laptop, release, "next");
      await editClaim(laptop, "held", "data", service);
      const newer = await eventually("the newer version takes over", async () => {
        const progress = await progressOf(laptop, "held", "data");
        return progress?.v === 2 && progress;
      });
      expect(newer).toMatchObject({ plan: "b", step: "held", since: written.since, pods: written.pods });

      await share(laptop, release, [{ revisionName: first, percent: 100 }]);
      await editClaim(laptop, "held", "data", service);
      expect(await progressOf(laptop, "held", "data")).toEqual(newer);
      expect(await reasonsOn(laptop, "held", "data")).toEqual(["DeletionPostponed"]);

      await freeClaim(laptop, "held", "data");
      await eventually("the claim goes", () => isGone(laptop, "held", "data"));
      expect(madeBy(laptop, service, "/held/persistentvolumeclaims/data")).toEqual(["held@1", "held@2", "let go"]);
      // Recorded once by the first one, and cleared in the end.
      await expect
        .poll(() => madeBy(laptop, service, "/held/events"), patient)
        .toEqual(["recorded DeletionPostponed", "deleted"]);
    },
  );

  test(
    "a canary is given a namespace of its own by tag and Trigger, then a share, then everything; " +
      "in between it is never a quarrel",
    async () => {
      const first = await roll(laptop, release, "now");
      const traffic = [
        { revisionName: first, percent: 100 },
        { tag: "canary", percent: 0 },
      ];
      await roll(laptop, release, "next", traffic);
      const [, canary] = await trafficOf(laptop, release);
      expect(canary).toMatchObject({ tag: "canary", percent: 0, latestRevision: true });
      await giveNamespaceTo(laptop, release, "staging", canary?.url ?? "");
      expect(await heldClaim(laptop, "staging", "data")).toMatchObject({ v: 2 });
      expect(await heldClaim(laptop, "production", "data")).toMatchObject({ v: 1 });

      await share(laptop, release, [
        { revisionName: first, percent: 50 },
        { tag: "canary", percent: 50 },
      ]);
      for (let time = 0; time < 4; time++) await editClaim(laptop, "production", "data", service);
      // The newer one has said it its way once; the older one, which got every other event, reads it and lets it stand.
      const madeThere = () => madeBy(laptop, service, "/production/persistentvolumeclaims/data");
      await expect.poll(madeThere, patient).toEqual(["held@1", "held@2"]);

      await share(laptop, release, [{ percent: 100 }]);
      for (const namespace of ["staging", "production"]) {
        await freeClaim(laptop, namespace, "data");
        await eventually("the claim goes", () => isGone(laptop, namespace, "data"));
        await expect
          .poll(() => madeBy(laptop, service, `/${namespace}/events`), patient)
          .toEqual(["recorded DeletionPostponed", "deleted"]);
      }
      expect(madeThere()).toEqual(["held@1", "held@2", "let go"]);
    },
  );

  test("progress of a version that is too new does not hold a rule that derives all from what it reads", async () => {
    await roll(laptop, release, "now");
    const written = await heldClaim(laptop, "far", "data");
    await overwrite(laptop, "far", "data", { ...written, v: 999, plan: "c" });
    await freeClaim(laptop, "far", "data");
    await laptop.sweep();
    await eventually("the claim goes", () => isGone(laptop, "far", "data"));
    expect(await reasonsOn(laptop, "far", "data")).not.toContain("NewerProgress");
  });

  test(
    "no request is lost in a roll: what is under way is answered by the old revision, " +
      "what comes then by the new one",
    async () => {
      const old = await roll(laptop, release, "now");
      await heldClaim(laptop, "busy", "data");
      const before = laptop.hops.length;
      const gate = laptop.hold(service, /\/namespaces\/busy\/pods/);
      await freeClaim(laptop, "busy", "data");
      await eventually("release lists the pods", async () => gate.isAwaited());
      const rolled = await roll(laptop, release, "next");
      expect(rolled).not.toBe(old);
      expect(await heldClaim(laptop, "calm", "data")).toMatchObject({ v: 2 });
      expect(await isGone(laptop, "busy", "data")).toBe(false);
      gate.open();
      await eventually("the claim goes", () => isGone(laptop, "busy", "data"));
      const answers = laptop.hops
        .slice(before)
        .flatMap((hop) => (hop.hop === "delivered" || hop.hop === "failed" ? [hop] : []));
      expect(answers.length).toBeGreaterThan(2);
      expect(answers.filter(({ hop, attempt }) => hop === "failed" || attempt > 1)).toEqual([]);
    },
  );

  test("a function that was taken away and is put back a day later catches up through the sweep, once", async () => {
    await roll(laptop, release, "now");
    const written = await heldClaim(laptop, "gone", "data");
    // The newer version takes over; what comes back a day later is the older one.
    await roll(laptop, release, "next");
    await editClaim(laptop, "gone", "data", service);
    await eventually("the newer version takes over", async () => (await progressOf(laptop, "gone", "data"))?.v === 2);
    await overwrite(laptop, "gone", "data", { ...written, v: 2, plan: "b" });

    const putBack = await takeAway(laptop, release);
    // By then no instance of it is left.
    await laptop.leap(25 * hour);
    await freeClaim(laptop, "gone", "data");
    await laptop.sweep();
    expect(await isGone(laptop, "gone", "data")).toBe(false);

    await putBack();
    await laptop.sweep();
    await eventually("the claim goes", () => isGone(laptop, "gone", "data"));
    await laptop.sweep();
    expect(madeBy(laptop, service, "/gone/persistentvolumeclaims/data").at(-1)).toBe("let go");
    await expect
      .poll(() => madeBy(laptop, service, "/gone/events"), patient)
      .toEqual(["recorded DeletionPostponed", "deleted"]);
  });
});
