import { describe, expect, test } from "vitest";
import { withTurns } from "../../local/start/swept-often.ts";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { ConfigMap } from "../worlds/kinds.ts";
import type { Setting, World } from "../worlds/world.ts";
import { holdOutageTable, type OutageRow } from "./outage-table.ts";
import * as protection from "./pvc-protection/helpers.ts";
import * as retention from "./pvc-retention/helpers.ts";
import * as undelete from "./undelete/helpers.ts";

const shipped: Setting = {
  name: "as shipped",
  inTree: true,
  environment: {},
  components: ["pvc-protection/claim-adds"],
};
/** As where six hours have passed: every object is resynced in every tick. */
const resynced: Setting = { ...shipped, name: "resynced", edit: (object) => withTurns(object, "1s") };

/** What is asked of a system while something is away, for two objects, one of which may be refused. */
interface System {
  readonly name: string;
  /** What it finds without an event, and when. */
  readonly found: string;
  /** Its objects, as their paths end, and as people call them. */
  readonly plural: string;
  readonly noun: string;
  /** What is asked, as people say it. */
  readonly wanted: string;
  /** What holds, and what does not, while its functions are away. */
  readonly without: string;
  prepare(world: World, names: readonly string[]): Promise<void>;
  ask(world: World, name: string): Promise<void>;
  isDone(world: World, name: string): Promise<boolean>;
}

const systems: readonly System[] = [
  {
    name: "pvc-protection",
    found: "the next tick of the sweep",
    plural: "persistentvolumeclaims",
    noun: "claim",
    wanted: "Claims that nothing uses go when you delete them",
    without: "Deleted claims stay, and their data with them",
    async prepare(world, names) {
      for (const name of names) await protection.protectedClaim(world, name);
    },
    ask: protection.deleteClaim,
    isDone: async (world, name) => !(await protection.claimOf(world, name)),
  },
  {
    name: "pvc-retention",
    found: "the resync, within six hours",
    plural: "statefulsets",
    noun: "StatefulSet",
    wanted: "The policy that you annotate comes into force",
    without: "Kubernetes obeys the field of each set. **A change to `Retain` is not in force**",
    async prepare(world, names) {
      for (const name of names) await retention.runningSet(world, { name, replicas: 1 });
    },
    ask: (world, name) =>
      retention.annotateSet(world, { [retention.policyKey]: "DeleteOnStatefulSetDeletionOnly" }, name),
    isDone: async (world, name) => (await retention.fieldOf(world, name)) === "Delete/Retain",
  },
  {
    name: "undelete",
    found: "the resync of volumes, within six hours",
    plural: "persistentvolumeclaims",
    noun: "claim",
    wanted: "The volumes of new claims are kept",
    without: "Volumes that are kept stay. **A claim that is created and deleted meanwhile takes its volume along**",
    prepare: (world) => undelete.annotateNamespace(world, { [undelete.keepKey]: "24h" }).then(() => {}),
    async ask(world, name) {
      await undelete.createClaim(world, { name });
      await undelete.boundVolume(world, name);
    },
    async isDone(world, name) {
      const volume = await undelete.volumeOf(world, await undelete.boundVolume(world, name));
      return volume.spec.persistentVolumeReclaimPolicy === "Retain";
    },
  },
];

/** Something that may be away. */
interface Outage {
  readonly setting: Setting;
  row(system: System): OutageRow;
  /** Whether what is asked is done meanwhile, for the object itself and for another one. */
  readonly meanwhile: { readonly itself: boolean; readonly other: boolean };
  /** Returns how to have it back. */
  begin(world: World, object: string): Promise<() => Promise<void>>;
}

const kept = (world: World) => world.admin.get(ConfigMap, "holdfast", "holdfast-dead-letters");

const outages: readonly Outage[] = [
  {
    setting: shipped,
    row: ({ wanted, noun }) => ({
      away: `The API server, for one ${noun} only`,
      works: `${wanted}, for every other ${noun}`,
      waits: `The same for this ${noun}`,
      says: "`holdfast-dead-letters` keeps the event; an Event `EventDeadLettered`, if the object can be read",
    }),
    meanwhile: { itself: false, other: true },
    async begin(world, object) {
      let isAway = true;
      world.intercept(async ({ request }, send) => {
        const [path = ""] = request.path.split("?");
        if (isAway && (path.endsWith(`/${object}`) || path.includes(`/${object}/`))) throw new Error("timed out");
        return send();
      });
      return async () => {
        await world.eventually("what could not be done is kept", async () => Boolean(await kept(world)));
        isAway = false;
      };
    },
  },
  {
    setting: resynced,
    row: ({ wanted, found }) => ({
      away: "Events (a source, a broker)",
      works: `${wanted}, by the sweep`,
      waits: `Each step, for ${found}`,
      says: "nothing on the object; the source or the broker is not Ready",
    }),
    meanwhile: { itself: true, other: true },
    async begin(world) {
      world.fate(() => []);
      return async () => world.fate(() => undefined);
    },
  },
  {
    setting: resynced,
    row: ({ found, without }) => ({
      away: "The functions",
      works: without,
      waits: `Everything, and then what happened meanwhile for ${found}`,
      says: "`holdfast status`, and the Revisions of the functions",
    }),
    meanwhile: { itself: false, other: false },
    begin: (world) => world.absent(),
  },
];

describe.each(systems)("$name", (system) => {
  const [itself, other] = ["it", "other"] as const;

  test.each(outages.map((outage) => ({ away: outage.row(system).away, outage })))(
    "$away: what waits is done with a tick after its return, and the rest was done meanwhile",
    async ({ outage: { begin, meanwhile, setting } }) => {
      const world = await emulatedWorld(setting);
      await system.prepare(world, [itself, other]);
      // The first tick resyncs everything.
      await world.sweep();
      await world.rest();
      const back = await begin(world, `${system.plural}/${itself}`);
      for (const name of [itself, other]) await system.ask(world, name);
      await world.rest();
      if (meanwhile.itself) await world.sweep();
      for (const [name, isDone] of [[itself, meanwhile.itself] as const, [other, meanwhile.other] as const]) {
        if (isDone) await world.eventually(`${name} is done`, () => system.isDone(world, name));
        else expect(await system.isDone(world, name), name).toBe(false);
      }
      await back();
      await world.sweep();
      for (const name of [itself, other]) await world.eventually(`${name} is done`, () => system.isDone(world, name));
      await world.stop();
    },
  );

  test("the README has the table of these scenarios", () => {
    holdOutageTable(
      system.name,
      outages.map(({ row }) => row(system)),
    );
  });
});
