import { expect, test } from "vitest";
import { type Random, seededRandom } from "../../../eventing/random.ts";
import type { DataFacts } from "../../../functions/satellite/lib/data/data-facts.ts";
import { emptiness, mayRemove } from "../../../functions/satellite/lib/data/emptiness.ts";
import { mayEvacuate } from "../../../functions/satellite/lib/data/may-evacuate.ts";
import { countBefore } from "../../../functions/satellite/lib/data/replica-floor.ts";
import type { Linstor } from "../../../functions/satellite/lib/linstor/client.ts";
import { linstor } from "../../../functions/satellite/lib/linstor/system.ts";
import { atOneRoot } from "../../../shared/system/testing/at-one-root.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";
import { addressOf, openBed } from "./stand-in.ts";

const node = "node-1";
const nodes = ["node-1", "node-2", "node-3", "node-4"];

async function read(
  client: Linstor,
  known: { before: DataFacts["before"]; calledAt?: number },
): Promise<DataFacts | undefined> {
  const listed = await client.nodes.get(node);
  const here = await client.resources.onNode(node);
  if (!listed || !here) return undefined;
  const definitions = await client.definitions.list();
  const groups = new Map((await client.definitions.groups()).map(({ name, placeCount }) => [name, placeCount]));
  return {
    node: listed,
    nodes: await client.nodes.list(),
    copies: await client.resources.of([...new Set([...here.map(({ name }) => name), ...Object.keys(known.before)])]),
    snapshots: await client.snapshots.onNode(node),
    placeCounts: new Map(definitions.map(({ name, group }) => [name, groups.get(group ?? "")])),
    going: [],
    warnings: [],
    ...known,
  };
}

/** Things that happen to satellites, the controller and volumes in the first ten minutes, and are over then. */
function disturb({ linstor, clock }: Awaited<ReturnType<typeof openBed>>, random: Random, volumes: readonly string[]) {
  const at = (minutes: number, run: () => void) => clock.after(minutes * 60_000, run);
  for (let count = random.below(5); count > 0; count--) {
    const begin = random.next() * 8;
    const end = begin + random.next() * 2;
    const address = addressOf(nodes[random.below(4)] as string);
    const volume = volumes[random.below(volumes.length)] as string;
    const use = (inUse: boolean) => () => {
      try {
        linstor.setInUse(volume, node, inUse);
      } catch {
        // It is gone from the node by then.
      }
    };
    const [fault, repair] = (
      [
        [() => linstor.stopController(), () => linstor.startController()],
        [() => linstor.stopSatellite(address), () => linstor.startSatellite(address)],
        [() => linstor.setFailing(address, true), () => linstor.setFailing(address, false)],
        [use(true), use(false)],
      ] as const
    )[random.below(4)] as readonly [() => void, () => void];
    at(begin, fault);
    at(end, repair);
  }
}

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);

test.each(seeds)(
  "run %i: by verdicts alone a node is evacuated and removed, and no volume is ever without a good copy",
  async (seed) => {
    const random = seededRandom(seed);
    const harness = await openBed();
    const volumes = Array.from({ length: 1 + random.below(3) }, (_, index) => `pvc-${index}`);
    const before = new Map<string, number>();
    for (const name of volumes) {
      const copies = ["node-1", ...(random.below(2) ? ["node-2"] : [])];
      harness.linstor.addVolume(name, {
        copies,
        ...(copies.length > 1 && random.below(2) ? { tieBreaker: "node-3" } : {}),
      });
      before.set(name, copies.length);
    }
    disturb(harness, random, volumes);

    // An answer may be lost while LINSTOR goes on, and a client listens for 150 s at most.
    const lossy: SystemTransport = async (request) => {
      const answer = await harness.linstor.transport(request);
      if (request.method !== "GET" && random.below(4) === 0) throw new Error("read ECONNRESET");
      return answer;
    };
    const settings = linstor.settings.parse({ linstorAllowHttp: "in-cluster" });
    const tools = { ...atOneRoot(lossy), clock: harness.clock, settings, credential: async () => undefined };
    const client = linstor.connect(tools).at(undefined);
    let known: { before: DataFacts["before"]; calledAt?: number } = { before: {} };
    let inFlight = 0;
    let removed = false;

    const pass = async () => {
      const facts = await read(client, known);
      if (!facts) {
        removed = true;
        return;
      }
      const order = mayEvacuate(facts, harness.clock.now());
      if (order.do === "act" && inFlight === 0) {
        // The intent is written down first.
        known = { before: { ...countBefore(facts), ...known.before }, calledAt: harness.clock.now() };
        inFlight++;
        await client.nodes.evacuate(node).finally(() => {
          inFlight--;
        });
      } else if (order.do === "done" && emptiness(facts).do === "done") {
        const { do: verdict, by } = mayRemove(facts);
        if (verdict === "act") await (by === "lose" ? client.nodes.lose(node) : client.nodes.delete(node));
      }
    };

    const lost = () => volumes.filter((name) => harness.linstor.goodCopies(name).length === 0);
    for (let tick = 0; tick < 240 && !removed; tick++) {
      void pass().catch(() => {});
      for (let second = 0; second < 10; second++) {
        await harness.clock.advance(1_000);
        expect(lost(), `after ${tick * 10 + second} s`).toEqual([]);
      }
    }
    expect(removed).toBe(true);
    for (const name of volumes) {
      const left = harness.linstor.goodCopies(name).filter((one) => one !== node);
      expect(left.length).toBeGreaterThanOrEqual(before.get(name) as number);
    }
  },
);
