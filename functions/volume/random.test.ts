import fc from "fast-check";
import { expect, test } from "vitest";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { Volume } from "./lib/kinds.ts";
import { abandonStorage } from "./lib/vanished-node.ts";
import { phaseOf } from "./lib/volume.ts";
import { anyJob } from "./testing/objects.ts";
import { outcomeOfJob, refusal } from "./testing/salt.ts";
import { volumeWorld, type World } from "./testing/world.ts";

const names = ["a", "b"] as const;
type Deed = (world: World, name: (typeof names)[number]) => unknown;

const patch = (world: World, name: string, change: object, subresource?: string) =>
  world.admin.patch(Volume, undefined, name, "merge", change, subresource ? { subresource } : {});

/** What users, nodes, Salt and time may do to a Volume. */
const deeds: Readonly<Record<string, Deed>> = {
  create: (world, name) => world.create(name).catch(() => {}),
  delete: (world, name) => world.admin.delete(Volume, undefined, name),
  bind: async (world, name) => {
    const pv = await world.pv(name);
    // A claim takes what is free; one that names its volume takes it even when that is going.
    if (pv?.status?.phase === "Available" && world.salt.runs.every(({ where }) => where !== "running"))
      await world.bind(name);
  },
  release: async (world, name) => (await world.pv(name))?.status?.phase === "Bound" && (await world.release(name)),
  "delete the PersistentVolume": (world, name) => world.admin.delete(PersistentVolume, undefined, name),
  "remove its owner": (world, name) =>
    world.admin.patch(PersistentVolume, undefined, name, "merge", { metadata: { ownerReferences: null } }),
  "remove what is written down": (world, name) =>
    patch(world, name, {
      metadata: {
        annotations: Object.fromEntries(
          ["prepare", "settle", "publish", "reclaim", "retire"].map((rule) => [`holdfast.dev/volume.${rule}`, null]),
        ),
      },
    }),
  "give up the storage": (world, name) => patch(world, name, { metadata: { annotations: { [abandonStorage]: "n0" } } }),
  "wipe the phase": (world, name) => patch(world, name, { status: { phase: null } }, "status"),
  "lose events": (world) => {
    world.hears = false;
  },
  "hear events": (world) => {
    world.hears = true;
  },
  kill: (world) => {
    world.diesAfter = world.writes.length % 3;
  },
  "two instances": (world) => {
    world.instances = 2;
  },
  "minion down": (world) => {
    world.salt.up.clear();
    for (const run of world.salt.runs) if (run.where === "running") run.where = "absent";
  },
  "minion up": (world) => world.salt.up.add("n0"),
  "jobs run on": (world) => {
    world.salt.fate = () => "runs";
  },
  "jobs are lost": (world) => {
    world.salt.fate = () => "lost";
  },
  "jobs fail": (world) => {
    world.salt.outcome = () => ({ end: "failure", message: "device is busy" });
  },
  "jobs end": (world) => {
    world.salt.fate = () => "ends";
    world.salt.outcome = outcomeOfJob;
    for (const run of world.salt.runs) if (run.where === "running") world.salt.end(run);
  },
  signal: (world, name) => world.returned(name),
  "Salt down": (world) => {
    world.salt.error = refusal("unreachable", "Salt does not answer.");
  },
  "Salt refuses": (world) => {
    world.salt.error = refusal("unauthorized", "Salt does not let us in.");
  },
  "Salt up": (world) => {
    world.salt.error = undefined;
  },
  "clock ahead": (world) => {
    world.ahead = 3_600_000;
  },
  "clock behind": (world) => {
    world.ahead = -3_600_000;
  },
  "clock right": (world) => {
    world.ahead = 0;
  },
  "node gone": (world) => world.admin.delete(Node, undefined, "n0"),
  sweep: (world) => world.sweep(1),
  wait: (world) => world.sweep(12),
};

const steps = fc.array(fc.record({ deed: fc.constantFrom(...Object.keys(deeds)), name: fc.constantFrom(...names) }), {
  minLength: 3,
  maxLength: 25,
});

/** Storage is taken back only where no claim is bound; two jobs never work for one Volume. */
function watch(world: World): void {
  let posts = 0;
  world.check = async () => {
    const fresh = world.salt.posts.slice(posts);
    posts = world.salt.posts.length;
    for (const { metadata } of fresh)
      if (metadata?.step === "UnprepareVolume")
        expect((await world.pv(String(metadata.volume)))?.status?.phase).not.toBe("Bound");
    const running = world.salt.runs.filter(({ where, job }) => where === "running" && job.fun === "state.sls");
    expect(new Set(running.map(({ job }) => job.metadata?.uid)).size).toBe(running.length);
  };
}

/** Everything works again. */
async function heal(world: World): Promise<void> {
  for (const name of ["minion up", "jobs end", "Salt up", "clock right", "hear events"])
    await deeds[name]?.(world, "a");
  world.diesAfter = undefined;
  if (!(await world.admin.get(Node, undefined, "n0")))
    await world.admin.create(Node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n0" } as never,
      status: { nodeInfo: { bootID: "b2" } },
    });
}

test("whatever happens, nothing is lost, all comes to an end, and what is done is not written again", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const world = await volumeWorld();
      watch(world);
      for (const { deed, name } of steps) {
        await deeds[deed]?.(world, name);
        await world.settle();
      }
      await heal(world);
      for (const name of names) if ((await world.pv(name))?.status?.phase === "Bound") await world.release(name);
      // The longest pause is an hour.
      await world.sweep(130);
      for (const name of names) {
        const volume = await world.volume(name);
        if (volume) expect(volume.metadata.deletionTimestamp, `${name} goes`).toBeUndefined();
        if (volume) expect(["Available", "Failed"], `${name} is made`).toContain(phaseOf(volume));
        if (!volume) expect(await world.pv(name), `${name} leaves nothing`).toBeUndefined();
      }
      const { length } = world.writes;
      const { asked } = world.salt;
      for (const name of names) await patch(world, name, { metadata: { labels: { look: "now" } } });
      await world.settle();
      await world.sweep(15);
      expect(world.writes.slice(length)).toEqual([]);
      expect(world.salt.asked).toBe(asked);
      // What Salt refuses is final, and told; all else would be a defect.
      expect(world.refused.filter((reply) => !reply.endsWith("Salt does not let us in."))).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test("whatever stands in status.job, a Volume is made, and goes again", async () => {
  await fc.assert(
    fc.asyncProperty(anyJob, fc.boolean(), async (job, deleting) => {
      const world = await volumeWorld();
      watch(world);
      world.hears = false;
      await world.create("a");
      await world.sweep(1);
      await patch(world, "a", { status: { job: job ?? null } }, "status");
      if (deleting) await world.admin.delete(Volume, undefined, "a");
      await world.sweep(40);
      const volume = await world.volume("a");
      if (deleting) expect(volume).toBeUndefined();
      else expect(volume && phaseOf(volume)).toBe("Available");
      expect(world.refused).toEqual([]);
    }),
    { numRuns: 25 },
  );
});
