import { describe, expect, test } from "vitest";
import type { DataFacts } from "../../../functions/satellite/lib/data/data-facts.ts";
import { mayRemove } from "../../../functions/satellite/lib/data/emptiness.ts";
import { mayEvacuate } from "../../../functions/satellite/lib/data/may-evacuate.ts";
import { countBefore, shortfalls } from "../../../functions/satellite/lib/data/replica-floor.ts";
import { type LinstorNode, linstorNode, resource } from "../../../functions/satellite/lib/linstor/objects.ts";
import { type RecordedStep, timeline } from "./recordings.ts";

type Listing = NonNullable<RecordedStep["listing"]>;

/** The facts of one recorded listing; timelines were recorded with four nodes, and with DRBD under every resource. */
function factsOf(
  { nodes_not_plain_online = [], resources }: Listing,
  node: string,
  before: DataFacts["before"],
): DataFacts {
  const odd = new Map(nodes_not_plain_online.map((one) => [one.name, one]));
  const nodes = ["node-1", "node-2", "node-3", "node-4"].map((name) =>
    linstorNode.parse({ name, type: "SATELLITE", connection_status: "ONLINE", ...odd.get(name) }),
  );
  const copies = resources.map((one) =>
    resource.parse({
      layer_object: { type: "DRBD" },
      ...one,
      volumes: one.volumes.map((v) => ({ volume_number: 0, ...v })),
    }),
  );
  return {
    node: nodes.find(({ name }) => name === node) as LinstorNode,
    nodes,
    copies,
    snapshots: [],
    placeCounts: new Map([["pvc-1", 2]]),
    before,
    going: [],
    warnings: [],
  };
}

/** Each listing of a recording with what would be done about a node at that moment, long after the last call. */
function verdicts(name: string, node = "node-1") {
  const listings = timeline(name).flatMap(({ at_s, listing }) => (listing ? [{ at: at_s, listing }] : []));
  const [first] = listings as [{ at: number; listing: Listing }];
  const before = countBefore(factsOf(first.listing, node, {}));
  return listings.map(({ at, listing }) => {
    const facts = factsOf(listing, node, before);
    return {
      at,
      evacuate: mayEvacuate(facts, Date.now()).do,
      remove: mayRemove(facts).do,
      short: shortfalls(facts).length,
    };
  });
}

const calledAt = (name: string, node = "node-1") =>
  timeline(name).flatMap(({ at_s, action }) =>
    typeof action === "object" && action.path === `/v1/nodes/${node}/evacuate` ? [at_s] : [],
  );

describe("what would have been done while the real controller was watched", () => {
  test("a plain evacuation: one call, nothing while it goes on, and then the node is removed", () => {
    const all = verdicts("evacuate-create-then-delete-node");
    const [at] = calledAt("evacuate-create-then-delete-node") as [number];
    expect(all.filter((one) => one.at < at).map(({ evacuate }) => evacuate)).toEqual(["act"]);
    // At 10.7 s the recording deletes the node.
    const after = all.filter((one) => one.at > at && one.at < 10.7);
    // A deletion before that has lost the copy that still synchronised.
    expect(after.map(({ evacuate }) => evacuate)).not.toContain("act");
    expect(after.filter(({ remove }) => remove === "act")[0]?.at).toBe(9.3);
  });

  test("the calls that doubled the copies would not have been sent", () => {
    const name = "evacuate-repeated-while-syncing";
    const [first, second, third] = calledAt(name) as [number, number, number];
    const just = (moment: number) => verdicts(name).findLast(({ at }) => at <= moment)?.evacuate;
    expect([just(first), just(second), just(third)]).toEqual(["act", "done", "done"]);
  });

  test("the second of two calls in flight, which lost the data, would not have been sent", () => {
    const all = verdicts("two-evacuate-calls-in-flight");
    expect(all.map(({ evacuate }) => evacuate)).toEqual(["act", "done", "done", "done", "done"]);
    // And what was left of it is not hidden: no copy is good, and the node stays.
    expect(all.at(-1)).toMatchObject({ remove: "stop", short: 1 });
  });

  test("after a restart of the controller it is called again, and not before everything is known", () => {
    const name = "controller-restart-during-migration";
    const all = verdicts(name).filter(({ at }) => at > 1 && at < 48);
    expect(all.map(({ at, evacuate }) => [at, evacuate])).toEqual([
      [1.8, "done"],
      [4.3, "done"],
      [5.1, "done"],
      // For as long as this lasts no person is called for.
      [15.9, "stop"],
      [16.7, "stop"],
      [17.2, "stop"],
      [17.8, "wait"],
      [18.6, "act"],
    ]);
  });

  test("a client that is in use is not left behind: first the release, then the call", () => {
    const all = verdicts("evacuate-in-use-diskless");
    expect(all.map(({ at, evacuate }) => [at, evacuate]).slice(0, 3)).toEqual([
      [0, "wait"],
      [1.3, "done"],
      [6.5, "act"],
    ]);
  });

  test("a source in use is left to LINSTOR until it is released", () => {
    const all = verdicts("evacuate-in-use-source").filter(({ at }) => at > 1);
    expect(all.map(({ evacuate }) => evacuate)).not.toContain("act");
  });

  test("a source whose satellite died is not removed before it has come back and is empty", () => {
    const all = verdicts("source-satellite-dies-during-sync").filter(({ at }) => at > 7);
    expect(all.map(({ remove }) => remove)).toEqual(["wait", "stop", "stop", "stop", "stop", "wait", "wait", "act"]);
  });

  test("two nodes at once: neither is removed, because of two copies one is left", () => {
    // The second call found the copy that the first had just begun, and its source was deleted while that synchronised.
    for (const node of ["node-1", "node-2"]) {
      const all = verdicts("two-nodes-evacuated-at-once", node);
      expect(all.at(-1)).toMatchObject({ remove: "stop", short: 1 });
    }
    // Either call would have waited for the copy that the other had begun.
    const [, atOnce] = verdicts("two-nodes-evacuated-at-once", "node-1").filter(({ at }) => at >= 1);
    expect(atOnce?.evacuate).not.toBe("act");
  });

  test("an empty node keeps its flag, and nothing more is asked of LINSTOR", () => {
    const last = verdicts("evacuate-toggle-tiebreaker").find(({ at }) => at === 10.6);
    expect(last).toMatchObject({ evacuate: "done", remove: "act", short: 0 });
  });
});
