import { beforeEach, describe, expect, test } from "vitest";
import { Event, Node, PersistentVolume, StorageClass } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { Volume } from "./lib/kinds.ts";
import { abandonStorage } from "./lib/vanished-node.ts";
import { phaseOf, volumeFinalizer } from "./lib/volume.ts";
import { outcomeOfJob, refusal } from "./testing/salt.ts";
import { volumeWorld, type World } from "./testing/world.ts";

/** What must hold after every write and every post, whatever happens. */
function invariants(world: World): () => Promise<void> {
  let posts = 0;
  return async () => {
    const running = world.salt.runs.filter(({ where }) => where === "running");
    const ofOne = Map.groupBy(running, ({ job }) => job.metadata?.uid);
    for (const runs of ofOne.values()) expect(runs.length, "jobs for one Volume at a time").toBe(1);
    const fresh = world.salt.posts.slice(posts);
    posts = world.salt.posts.length;
    for (const { metadata } of fresh) {
      const pv = await world.pv(String(metadata?.volume));
      if (metadata?.step === "UnprepareVolume")
        expect(pv?.status?.phase, "storage is never taken back").not.toBe("Bound");
    }
    // What people have removed shows when the status is written next.
    if (!world.writes.at(-1)?.endsWith("/status")) return;
    for await (const volume of world.admin.list<KubernetesObject>(Volume)) {
      const { name } = volume.metadata;
      const live = await world.volume(name);
      if (live && phaseOf(live) === "Available" && live.status?.job === "" && !fresh.length)
        expect(await world.pv(name), `${name} is available`).toBeDefined();
    }
  };
}

let world: World;
beforeEach(async () => {
  world = await volumeWorld();
  world.check = invariants(world);
});

const phase = async (name = "data") => {
  const volume = await world.volume(name);
  return volume && phaseOf(volume);
};
const message = async (name = "data") =>
  (await world.volume(name))?.status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";
const remove = (name = "data") => world.admin.delete(Volume, undefined, name);
const eventsOf = async () => {
  const found: string[] = [];
  for await (const event of world.admin.list<KubernetesObject & { reason?: string }>(Event))
    found.push(String(event.reason));
  return found;
};
const gone = async (name = "data") => {
  expect(await world.volume(name)).toBeUndefined();
  expect(await world.pv(name)).toBeUndefined();
};
const available = async (name = "data") => {
  await world.create(name);
  await world.settle();
  expect(await phase(name)).toBe("Available");
};

test("a Volume is created and deleted by events alone, and each job runs once", async () => {
  await available();
  expect(await world.volume("data")).toMatchObject({ status: { phase: "Available", job: "", deviceName: "loop3" } });
  expect(await world.pv("data")).toMatchObject({
    spec: { capacity: { storage: "10Gi" }, local: { path: expect.stringContaining("/dev/disk/by-uuid/") } },
  });
  expect(world.salt.posts.map(({ metadata }) => metadata?.step)).toEqual(["PrepareVolume"]);
  await remove();
  await world.settle();
  await gone();
  expect(world.salt.ran()).toEqual(["PrepareVolume data", "UnprepareVolume data"]);
  expect(world.refused).toEqual([]);
});

describe("while a job runs", () => {
  beforeEach(async () => {
    world.salt.fate = () => "runs";
    await world.create("data");
    await world.settle();
  });

  test("nothing is written and Salt is not asked, however long the functions' own writes come back", async () => {
    const [writes, asked] = [world.writes.length, world.salt.asked];
    await world.admin.patch(Volume, undefined, "data", "merge", { metadata: { labels: { a: "1" } } });
    await world.settle();
    expect(world.writes.length).toBe(writes);
    expect(world.salt.asked).toBe(asked);
  });

  test("it is looked at ever more seldom, and at most once in a sweep", async () => {
    const before = world.salt.asked;
    await world.sweep(10);
    // Two questions a look.
    expect(world.salt.asked - before).toBeLessThanOrEqual(2 * 10);
    expect(world.salt.posts).toHaveLength(1);
  });

  test("its end is heard at once", async () => {
    const [run] = world.salt.runs;
    world.salt.fate = () => "ends";
    if (run) world.salt.end(run);
    world.returned("data");
    await world.settle();
    expect(await phase()).toBe("Available");
  });

  test("a deletion waits for its end, and then takes back what it made", async () => {
    await remove();
    await world.settle();
    expect(world.salt.ran()).toEqual(["PrepareVolume data"]);
    world.salt.fate = () => "ends";
    for (const run of world.salt.runs) world.salt.end(run);
    world.returned("data");
    await world.settle();
    await gone();
    expect(world.salt.ran()).toEqual(["PrepareVolume data", "UnprepareVolume data"]);
  });

  test("a forged signal changes nothing", async () => {
    const { length } = world.writes;
    world.returned("data");
    world.returned("nobody");
    await world.settle();
    expect(world.writes.length).toBe(length);
  });

  test("people who remove what is written down cost a look, and no second job", async () => {
    for (let i = 0; i < 5; i++) {
      const annotations = { "holdfast.dev/volume.job": null };
      await world.admin.patch(Volume, undefined, "data", "merge", { metadata: { annotations } });
      await world.settle();
      await world.sweep();
    }
    expect(world.salt.ran()).toEqual(["PrepareVolume data"]);
  });

  test.each([-3_600_000, 3_600_000])(
    "a clock that is wrong by %i ms begins no second job, and the end is seen",
    async (ms) => {
      world.ahead = ms;
      await world.sweep(5);
      world.ahead = 0;
      await world.sweep(5);
      expect(world.salt.ran()).toEqual(["PrepareVolume data"]);
      world.salt.fate = () => "ends";
      for (const run of world.salt.runs) world.salt.end(run);
      await world.sweep(10);
      expect(await phase()).toBe("Available");
    },
  );

  test("a minion that goes silent is shown on the Volume, and the job that it lost is begun anew", async () => {
    world.salt.up.clear();
    await world.sweep(3);
    expect(await eventsOf()).toContain("MinionNotAnswering");
    expect(world.salt.posts).toHaveLength(1);
    for (const run of world.salt.runs) run.where = "absent";
    world.salt.up.add("n0");
    world.salt.fate = () => "ends";
    await world.sweep(10);
    expect(await phase()).toBe("Available");
    expect(await eventsOf()).not.toContain("MinionNotAnswering");
  });
});

describe("a deletion", () => {
  test("before anything was made", async () => {
    world.hears = false;
    await world.create("data");
    await remove();
    await gone();
    expect(world.salt.posts).toEqual([]);
  });

  test("while the class is missing takes back what an earlier run may have left", async () => {
    await world.create("data", { storageClassName: "other" });
    await world.settle();
    expect(await message()).toContain("StorageClass other does not exist: create it");
    await remove();
    await world.settle();
    await gone();
    expect(world.salt.ran()).toEqual(["UnprepareVolume data"]);
  });

  test("needs no class: one that is gone by then holds nothing up", async () => {
    await available();
    await world.admin.delete(StorageClass, undefined, "metalk8s");
    await remove();
    await world.settle();
    await gone();
    expect(world.salt.ran()).toContain("UnprepareVolume data");
    expect(world.salt.posts.at(-1)?.kwarg).toMatchObject({
      volume: { spec: { storageClass: "metalk8s" } },
    });
  });

  test("takes nothing back under a claim that is just being bound", async () => {
    await available();
    const claimRef = { namespace: "shop", name: "data", uid: "c1" };
    await world.admin.patch(PersistentVolume, undefined, "data", "merge", { spec: { claimRef } });
    await remove();
    await world.settle();
    expect((await world.pv("data"))?.metadata.finalizers).toEqual([volumeFinalizer]);
    expect(world.salt.ran()).not.toContain("UnprepareVolume data");
    await world.bind("data");
    await world.sweep(3);
    expect(world.salt.ran()).not.toContain("UnprepareVolume data");
    await world.release("data");
    await world.settle();
    await gone();
  });

  test("takes nothing back under a bound PersistentVolume whose owner references are gone", async () => {
    await available();
    await world.bind("data");
    await world.admin.patch(PersistentVolume, undefined, "data", "merge", { metadata: { ownerReferences: null } });
    await remove();
    await world.settle();
    await world.sweep(20);
    expect(world.salt.ran()).not.toContain("UnprepareVolume data");
    await world.release("data");
    await world.sweep(3);
    await gone();
  });

  test("is not repeated under a claim that was bound while it had failed", async () => {
    await available();
    world.salt.outcome = (job) =>
      job.metadata?.step === "UnprepareVolume" ? { end: "failure", message: "device is busy" } : outcomeOfJob(job);
    await remove();
    await world.settle();
    expect(await message()).toBe("Salt job 'UnprepareVolume' failed with: device is busy");
    expect(await phase()).toBe("Failed");
    await world.bind("data");
    await world.sweep(100);
    expect(world.salt.ran().filter((run) => run.startsWith("Unprepare"))).toHaveLength(1);
    expect(await eventsOf()).toContain("DeletionPostponed");
    world.salt.outcome = outcomeOfJob;
    await world.release("data");
    await world.sweep(3);
    await gone();
  });

  test("that the node refuses is repeated ever more seldom, and ends when it can", async () => {
    await available();
    world.salt.outcome = (job) =>
      job.metadata?.step === "UnprepareVolume" ? { end: "failure", message: "device is busy" } : outcomeOfJob(job);
    await remove();
    await world.settle();
    await world.sweep(60);
    const tried = world.salt.ran().filter((run) => run.startsWith("Unprepare")).length;
    expect(tried).toBeGreaterThan(3);
    expect(tried).toBeLessThan(9);
    world.salt.outcome = outcomeOfJob;
    await world.sweep(61);
    await gone();
  });

  test("of a Volume whose preparation is lost does not prepare it first", async () => {
    world.salt.fate = () => "lost";
    await world.create("data");
    await world.settle();
    await remove();
    world.salt.fate = () => "ends";
    await world.sweep(10);
    await gone();
    expect(world.salt.ran()).toEqual(["PrepareVolume data", "UnprepareVolume data"]);
  });
});

describe("a node that is gone", () => {
  const vanish = async () => {
    world.salt.up.clear();
    await world.admin.delete(Node, undefined, "n0");
  };
  const giveUp = (node = "n0") =>
    world.admin.patch(Volume, undefined, "data", "merge", { metadata: { annotations: { [abandonStorage]: node } } });

  test.each<[string, () => Promise<void>]>([
    ["is available", () => available()],
    [
      "is being prepared",
      async () => {
        world.salt.fate = () => "runs";
        await world.create("data");
        await world.settle();
      },
    ],
    [
      "is being taken back",
      async () => {
        await available();
        world.salt.fate = () => "runs";
        await remove();
        await world.settle();
      },
    ],
    [
      "could not be taken back",
      async () => {
        await available();
        world.salt.outcome = () => ({ end: "failure", message: "device is busy" });
        await remove();
        await world.settle();
      },
    ],
  ])("lets a Volume that %s go when an admin gives its storage up, and not before", async (_, arrange) => {
    await arrange();
    await vanish();
    await remove();
    await world.settle();
    await world.sweep(20);
    expect(await message()).toContain(`kubectl annotate volume data ${abandonStorage}=n0`);
    const { length } = world.writes;
    await world.sweep(20);
    // The time to look again is all that is written.
    expect(world.writes.length - length).toBeLessThanOrEqual(20);
    await giveUp("n1");
    await world.sweep(2);
    expect(await world.volume("data")).toBeDefined();
    await giveUp();
    await world.settle();
    await world.sweep(1);
    await gone();
    expect(await eventsOf()).toContain("StorageAbandoned");
  });

  test("keeps what is bound, even when its storage was given up", async () => {
    await available();
    await world.bind("data");
    await vanish();
    await remove();
    await giveUp();
    await world.sweep(5);
    expect(await world.volume("data")).toBeDefined();
    await world.release("data");
    await world.sweep(2);
    await gone();
  });

  test("does not give up storage while it is there", async () => {
    await available();
    await giveUp();
    await remove();
    await world.settle();
    await gone();
    expect(world.salt.ran()).toContain("UnprepareVolume data");
  });
});

describe("a PersistentVolume of the Volume's name", () => {
  const pv = (more: object = {}) =>
    world.admin.create(PersistentVolume, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "data", ...more } as never,
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
    });

  test("that is nobody's fails the Volume before anything is made on its node", async () => {
    await pv();
    await world.create("data");
    await world.settle();
    expect(await phase()).toBe("Failed");
    expect(await message()).toContain("create one under another name");
    expect(world.salt.posts).toEqual([]);
    await remove();
    await world.settle();
    expect(await world.volume("data")).toBeUndefined();
    expect(await world.pv("data")).toBeDefined();
  });

  test("of an earlier Volume that is still going is waited for", async () => {
    const finalizers = [volumeFinalizer];
    const owner = { apiVersion: Volume.apiVersion, kind: Volume.kind, name: "data", uid: "old", controller: true };
    await pv({ finalizers, ownerReferences: [owner] });
    await world.admin.delete(PersistentVolume, undefined, "data");
    await world.create("data");
    await world.settle();
    expect(await phase()).toBe("Pending");
    expect(await message()).toContain("goes on by itself");
    await world.admin.patch(PersistentVolume, undefined, "data", "merge", { metadata: { finalizers: null } });
    await world.settle();
    expect(await phase()).toBe("Available");
  });

  test("of another Volume is not touched when this one goes", async () => {
    world.salt.fate = () => "runs";
    await world.create("data");
    await world.settle();
    await pv({
      finalizers: [volumeFinalizer],
      ownerReferences: [{ apiVersion: Volume.apiVersion, kind: "Volume", name: "data", uid: "old", controller: true }],
    });
    world.salt.fate = () => "ends";
    for (const run of world.salt.runs) world.salt.end(run);
    world.returned("data");
    await world.settle();
    expect(await phase()).toBe("Failed");
    await remove();
    await world.settle();
    expect(await world.volume("data")).toBeUndefined();
    expect((await world.pv("data"))?.metadata.finalizers).toContain(volumeFinalizer);
    expect((await world.pv("data"))?.metadata.deletionTimestamp).toBeUndefined();
  });

  test("that people delete stays behind its finalizer, and the Volume says so", async () => {
    await available();
    await world.admin.delete(PersistentVolume, undefined, "data");
    await world.settle();
    expect(await phase()).toBe("Available");
    expect(await message()).toContain("The PersistentVolume is being deleted");
  });

  test("that is made to vanish is made again", async () => {
    await available();
    await world.bind("data");
    await world.admin.delete(PersistentVolume, undefined, "data");
    await world.admin.patch(PersistentVolume, undefined, "data", "merge", { metadata: { finalizers: null } });
    await world.settle();
    expect(await phase()).toBe("Available");
    expect(await world.pv("data")).toBeDefined();
  });

  test("that fails, and recovers, is seen on the Volume", async () => {
    await available();
    await world.admin.patch(
      PersistentVolume,
      undefined,
      "data",
      "merge",
      { status: { phase: "Failed", message: "gone bad" } },
      { subresource: "status" },
    );
    await world.settle();
    expect(await phase()).toBe("Failed");
    expect(await message()).toContain("gone bad");
    await world.release("data");
    await world.settle();
    expect(await phase()).toBe("Available");
  });
});

test("Volumes of one node do not wait for each other, and one that is lost for ever fails alone", async () => {
  world.salt.fate = ({ metadata }) => (metadata?.volume === "a" ? "lost" : "runs");
  const all = ["a", "b", "c"];
  for (const name of all) await world.create(name);
  await world.settle();
  expect(world.salt.ran()).toEqual(all.map((name) => `PrepareVolume ${name}`));
  for (const run of world.salt.runs) if (run.where === "running") world.salt.end(run);
  for (const name of all) world.returned(name);
  await world.settle();
  expect(await Promise.all(all.map((name) => phase(name)))).toEqual(["Pending", "Available", "Available"]);
  await world.sweep(60);
  expect(await phase("a")).toBe("Failed");
  expect(await message("a")).toContain("attempt 5 of 5");
});

describe("Salt that does not do as it is asked", () => {
  test("an account without rights is shown on the Volume, and the work goes on when it has them", async () => {
    world.salt.error = refusal("unauthorized", "Salt does not let the account holdfast in: grant it @jobs.");
    await world.create("data");
    await world.settle();
    await world.sweep(3);
    expect(await phase()).toBe("Pending");
    expect(await message()).toMatch(
      /^Salt does not let the account holdfast in: grant it @jobs. It has been so since 2026/,
    );
    expect(await eventsOf()).toContain("SaltUnauthorized");
    const { length } = world.writes;
    await world.sweep(10);
    expect(world.writes.length - length).toBeLessThanOrEqual(2 * 10);
    world.salt.error = undefined;
    await world.sweep(10);
    expect(await phase()).toBe("Available");
    expect(world.salt.ran()).toEqual(["PrepareVolume data"]);
  });

  test("a minion without an accepted key is shown in an Event, and the work goes on when it has one", async () => {
    world.salt.spawnError = refusal("refused", "Salt has no minion n0. Accept its key.");
    await world.create("data");
    await world.settle();
    await world.sweep(3);
    expect(await eventsOf()).toContain("SaltRefused");
    world.salt.spawnError = undefined;
    await world.sweep(10);
    expect(await phase()).toBe("Available");
  });

  test("a Salt that is down costs nothing but time", async () => {
    world.salt.error = refusal("unreachable", "Salt does not answer.");
    await world.create("data");
    await world.settle();
    await world.sweep(5);
    expect(await phase()).toBe("Pending");
    expect(world.refused).toEqual([]);
    world.salt.error = undefined;
    await world.sweep(10);
    expect(await phase()).toBe("Available");
    expect(world.salt.ran()).toEqual(["PrepareVolume data"]);
  });

  test.each([
    { size: "10737418240", path: "/dev/disk/by-uuid/another" },
    { size: "10737418240", path: "/dev/sda" },
    { size: "0", path: "/dev/disk/by-uuid/x" },
    { size: 7, path: "/dev/disk/by-uuid/x" },
    null,
    "a text",
  ])("an answer %j is not published", async (value) => {
    world.salt.outcome = () => ({ end: "success", value });
    await world.create("data");
    await world.settle();
    expect(await phase()).toBe("Failed");
    expect(await message()).toContain("has not returned size and path of this Volume's storage");
    expect(await world.pv("data")).toBeUndefined();
  });
});

describe("what was there before Holdfast", () => {
  const put = async (status: object) => {
    world.hears = false;
    await world.create("data");
    const metadata = { finalizers: [volumeFinalizer] };
    await world.admin.patch(Volume, undefined, "data", "merge", { metadata });
    await world.admin.patch(Volume, undefined, "data", "merge", { status }, { subresource: "status" });
    world.hears = true;
  };
  const ready = (status: string, reason?: string) => ({
    conditions: [{ type: "Ready", status, ...(reason ? { reason } : {}), lastTransitionTime: "2026-01-01T00:00:00Z" }],
  });

  test("an available Volume shows its phase after one write, and is left alone", async () => {
    await available();
    const status = { phase: null, ...ready("True") };
    await world.admin.patch(Volume, undefined, "data", "merge", { status }, { subresource: "status" });
    await world.settle();
    await world.sweep(10);
    expect(await world.volume("data")).toMatchObject({ status: { phase: "Available" } });
    const { length } = world.writes;
    await world.sweep(30);
    expect(world.writes.length).toBe(length);
    expect(world.salt.ran()).toHaveLength(1);
  });

  test("a failed Volume shows its phase", async () => {
    await put({ job: "PrepareVolume/20260101000000000000", ...ready("False", "CreationError") });
    await world.sweep(10);
    expect(await world.volume("data")).toMatchObject({
      status: { phase: "Failed", job: "PrepareVolume/20260101000000000000" },
    });
    expect(world.salt.posts).toEqual([]);
  });

  test.each([
    "",
    "PrepareVolume/",
    "PrepareVolume/DONE",
    "GetDeviceInfo/",
    "GetDeviceInfo/DONE",
    "PrepareVolume/DONE/10Gi",
  ])("a Volume in the middle of its creation (%j) is brought to its end", async (job) => {
    await put({ job, ...ready("Unknown", "Pending") });
    await world.sweep(30);
    expect(await phase()).toBe("Available");
  });

  test.each([
    "PrepareVolume/00000000000000000000",
    "PrepareVolume/99999999999999999999",
    "PrepareVolume/../../x",
    "Tampered/20260101000000000000",
    "UnprepareVolume/DONE",
    "UnprepareVolume/20260101000000000000",
  ])("a job that nobody has begun (%j) is no obstacle", async (job) => {
    await put({ job, ...ready("Unknown", "Pending") });
    await world.sweep(30);
    expect(await phase()).toBe("Available");
    expect(world.refused).toEqual([]);
  });

  test.each(["PrepareVolume/20260101000000000000", "GetDeviceInfo/DONE", "UnprepareVolume/20260101000000000000", ""])(
    "a Volume that is being deleted (%j) goes, and its storage is taken back",
    async (job) => {
      await put({ job, ...ready("Unknown", "Terminating") });
      await remove();
      await world.sweep(30);
      await gone();
      expect(world.salt.ran().at(-1)).toBe("UnprepareVolume data");
    },
  );
});

test("an invalid Volume fails with what is wrong, and can be deleted at once", async () => {
  // Where the schema is another installation's, it lets in what ours does not.
  const crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/volumes.storage.metalk8s.scality.com";
  const definition = await world.admin.request<{
    spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: object } } } }[] };
  }>("GET", crd);
  const [version] = definition.spec.versions;
  if (version)
    delete (version.schema.openAPIV3Schema.properties.spec as Record<string, unknown>)["x-kubernetes-validations"];
  await world.admin.request("PUT", crd, definition);
  await world.create("data", { rawBlockDevice: { devicePath: "/dev/sdb" } });
  await world.settle();
  expect(await phase()).toBe("Failed");
  expect(await message()).toContain("more than one volume type");
  await remove();
  expect(await world.volume("data")).toBeUndefined();
  expect(world.salt.posts).toEqual([]);
});
