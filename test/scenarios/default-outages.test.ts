import { describe, expect, onTestFinished, test } from "vitest";
import { withTurns } from "../../local/start/swept-often.ts";
import type { Cluster, Setting } from "../harness/cluster.ts";
import { ConfigMap } from "../harness/kinds.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { explaining } from "./explained.ts";
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
  prepare(cluster: Cluster, names: readonly string[]): Promise<void>;
  ask(cluster: Cluster, name: string): Promise<void>;
  isDone(cluster: Cluster, name: string): Promise<boolean>;
}

const systems: readonly System[] = [
  {
    name: "pvc-protection",
    found: "the next tick of the sweep",
    plural: "persistentvolumeclaims",
    noun: "claim",
    wanted: "Claims that nothing uses go when you delete them",
    without: "Deleted claims stay, and their data with them",
    async prepare(cluster, names) {
      for (const name of names) await protection.protectedClaim(cluster, name);
    },
    ask: protection.deleteClaim,
    isDone: async (cluster, name) => !(await protection.claimOf(cluster, name)),
  },
  {
    name: "pvc-retention",
    found: "the resync, within six hours",
    plural: "statefulsets",
    noun: "StatefulSet",
    wanted: "The policy that you annotate comes into force",
    without: "Kubernetes obeys the field of each set. **A change to `Retain` is not in force**",
    async prepare(cluster, names) {
      for (const name of names) await retention.runningSet(cluster, { name, replicas: 1 });
    },
    ask: (cluster, name) =>
      retention.annotateSet(cluster, { [retention.policyKey]: "DeleteOnStatefulSetDeletionOnly" }, name),
    isDone: async (cluster, name) => (await retention.fieldOf(cluster, name)) === "Delete/Retain",
  },
  {
    name: "undelete",
    found: "the resync of volumes, within six hours",
    plural: "persistentvolumeclaims",
    noun: "claim",
    wanted: "The volumes of new claims are kept",
    without: "Volumes that are kept stay. **A claim that is bound and deleted meanwhile takes its volume along**",
    prepare: (cluster) => undelete.annotateNamespace(cluster, { [undelete.keepKey]: "24h" }).then(() => {}),
    async ask(cluster, name) {
      await undelete.createClaim(cluster, { name });
      await undelete.boundVolume(cluster, name);
    },
    async isDone(cluster, name) {
      const volume = await undelete.volumeOf(cluster, await undelete.boundVolume(cluster, name));
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
  begin(cluster: Cluster, object: string): Promise<() => Promise<void>>;
}

const kept = (cluster: Cluster) => cluster.admin.get(ConfigMap, "holdfast", "holdfast-dead-letters");

const outages: readonly Outage[] = [
  {
    setting: shipped,
    row: ({ without }) => ({
      away: "The API server, for the functions",
      of: ["the API server", "away"],
      works: without,
      waits: "Everything, for the next tick: if the sweep has missed one, it sends an event for every object",
      says: "`holdfast status`: the last sweep is late",
    }),
    meanwhile: { itself: false, other: false },
    async begin(cluster) {
      let isAway = true;
      cluster.intercept(async (_, send) => {
        if (isAway) throw new Error("connect ECONNREFUSED");
        return send();
      }, "everywhere");
      return async () => {
        isAway = false;
        // What came to dead-letter meanwhile is kept within 40 seconds.
        for (let half = 0; half < 2; half++) await cluster.rest();
      };
    },
  },
  {
    setting: shipped,
    row: ({ wanted, noun }) => ({
      away: "The API server carries out the first try of each write after the function has given it up",
      of: ["the API server", "late"],
      works: `${wanted}, for every ${noun}: the function tries again`,
      waits: "Nothing. The API server refuses the first try when it comes, because the object has changed or is gone",
      says: "nothing",
    }),
    meanwhile: { itself: true, other: true },
    async begin(cluster) {
      const late = new Set<string>();
      let refused = 0;
      cluster.intercept(async ({ request: { method, path } }, send) => {
        const write = `${method} ${path.split("?")[0]}`;
        if (method !== "PATCH" || late.has(write)) return send();
        late.add(write);
        void cluster.clock.sleep(60_000).then(async () => {
          if ((await send()).status >= 400) refused++;
        });
        throw new Error("timed out");
      });
      return async () => {
        for (let half = 0; half < 4; half++) await cluster.rest();
        expect(refused).toBe(late.size);
        expect(late.size).toBeGreaterThanOrEqual(2);
      };
    },
  },
  {
    setting: shipped,
    row: ({ wanted, noun }) => ({
      away: `The API server, for one ${noun} only`,
      of: ["the API server", "for one object"],
      works: `${wanted}, for every other ${noun}`,
      waits: `The same for this ${noun}`,
      says: "`holdfast-dead-letters` keeps the event; an Event `EventDeadLettered`, if the object can be read",
    }),
    meanwhile: { itself: false, other: true },
    async begin(cluster, object) {
      let isAway = true;
      cluster.intercept(async ({ request }, send) => {
        const [path = ""] = request.path.split("?");
        if (isAway && (path.endsWith(`/${object}`) || path.includes(`/${object}/`))) throw new Error("timed out");
        return send();
      });
      return async () => {
        await cluster.eventually("what could not be done is kept", async () => Boolean(await kept(cluster)));
        isAway = false;
      };
    },
  },
  {
    setting: resynced,
    row: ({ wanted, found }) => ({
      away: "Events of a source",
      works: `${wanted}, by the sweep`,
      waits: `Each step, for ${found}; if Knative shows that the source was not Ready, for the tick after its return`,
      says: "nothing on the object; the source is not Ready",
    }),
    meanwhile: { itself: true, other: true },
    async begin(cluster) {
      cluster.fate(() => []);
      return async () => cluster.fate(() => undefined);
    },
  },
  {
    setting: resynced,
    row: ({ found, without }) => ({
      away: "The functions, but not the sweep",
      works: without,
      waits: `Everything, and then what happened meanwhile for ${found}`,
      says: "`holdfast status`, and the Revisions of the functions",
    }),
    meanwhile: { itself: false, other: false },
    begin: (cluster) => cluster.absent(),
  },
];

const { open, prove } = explaining(openCluster);

describe.each(systems)("$name", (system) => {
  const [itself, other] = ["it", "other"] as const;

  test.each(outages.map((outage) => ({ away: outage.row(system).away, outage })))(
    "$away: what waits is done with a tick after its return, and the rest was done meanwhile",
    async ({ outage: { begin, meanwhile, setting } }) => {
      const cluster = await open(setting, { whenOver: onTestFinished });
      await system.prepare(cluster, [itself, other]);
      // The first tick resyncs everything.
      await cluster.sweep();
      await cluster.rest();
      const back = await begin(cluster, `${system.plural}/${itself}`);
      for (const name of [itself, other]) await system.ask(cluster, name);
      await cluster.rest();
      if (meanwhile.itself) await cluster.sweep();
      for (const [name, isDone] of [[itself, meanwhile.itself] as const, [other, meanwhile.other] as const]) {
        if (isDone) await cluster.eventually(`${name} is done`, () => system.isDone(cluster, name));
        else expect(await system.isDone(cluster, name), name).toBe(false);
      }
      await back();
      await cluster.sweep();
      for (const name of [itself, other])
        await cluster.eventually(`${name} is done`, () => system.isDone(cluster, name));
      await cluster.stop();
    },
  );

  // The broker gives up after 16 s, and dead-letter after three minutes: then the broker sends it the event again.
  test("the API server away for 270 s between two ticks: the next tick sends the event again", async () => {
    const cluster = await open(shipped, { whenOver: onTestFinished });
    await system.prepare(cluster, [itself]);
    await cluster.sweep();
    await cluster.rest();
    const begun = cluster.clock.now();
    const isAway = () => cluster.clock.now() < begun + 270_000;
    cluster.intercept(async (_, send) => {
      if (isAway()) throw new Error("connect ECONNREFUSED");
      return send();
    }, "everywhere");
    await system.ask(cluster, itself);
    while (isAway()) await cluster.rest();
    expect(await system.isDone(cluster, itself)).toBe(false);
    await cluster.eventually("what could not be done is kept", async () => Boolean(await kept(cluster)));
    expect(cluster.clock.now()).toBeLessThan(begun + 400_000);
    await cluster.sweep();
    const table = await cluster.admin.get(ConfigMap, "holdfast", "holdfast-sweep");
    expect(JSON.parse(table?.metadata.annotations?.["holdfast.dev/platform.sweep"] ?? "{}")).toMatchObject({
      resent: [expect.any(String)],
    });
    await cluster.eventually("it is done", () => system.isDone(cluster, itself));
    await cluster.stop();
  });

  test("the README has the table of these scenarios", () => {
    holdOutageTable(
      system.name,
      outages.map(({ row }) => row(system)),
      ["the API server"],
    );
  });
});

prove();
