import { describe, expect, test } from "vitest";
import type { RecordedExchange } from "./recordings.ts";
import { exchange, exchangesIn, timeline } from "./recordings.ts";
import { addressOf, gist, type Harness, openBed } from "./stand-in.ts";

/** What stood before a recorded request, made in the stand-in. */
type Before = (harness: Harness) => void | Promise<void>;

const offline =
  (node: string): Before =>
  async ({ linstor, clock }) => {
    linstor.stopSatellite(addressOf(node));
    await clock.advance(2_000);
  };
const evacuated =
  (node: string): Before =>
  async ({ ask }) => {
    await ask("PUT", `/v1/nodes/${node}/evacuate`, {});
  };
const volume =
  (name: string, options: Parameters<Harness["linstor"]["addVolume"]>[1]): Before =>
  ({ linstor }) =>
    linstor.addVolume(name, options);
const both =
  (...steps: Before[]): Before =>
  async (harness) => {
    for (const step of steps) await step(harness);
  };
const nothing: Before = () => {};
const pair = { copies: ["node-1", "node-2"] };
const full = { "StorDriver/StorPoolName": "/srv/pool" };
const away = (...nodes: string[]) => both(...nodes.map((node) => offline(node)));
const placedOnly =
  (node: string): Before =>
  async ({ ask }) => {
    await ask("PUT", `/v1/nodes/${node}`, { override_props: { AutoplaceTarget: "false" } });
  };

const vectors: [file: string, operation: string, before: Before][] = [
  ["node-create", "node-create-without-interface", nothing],
  ["node-create", "node-create-invalid-name", nothing],
  ["node-create", "node-create-already-exists", nothing],
  ["node-create", "node-create-already-exists-other-case", nothing],
  ["node-create", "node-create-nobody-listens", nothing],
  ["node-properties", "node-props-invalid-key", nothing],
  ["node-properties", "node-props-invalid-value", nothing],
  ["node-properties", "node-props-autoplacetarget", nothing],
  ["node-properties", "node-props-delete", nothing],
  ["node-properties", "node-modify-empty", nothing],
  ["node-properties", "node-modify-unknown", nothing],
  ["node-net-interface", "net-interface-modify", nothing],
  ["http-errors", "unknown-path", nothing],
  ["http-errors", "evacuate-wrong-json-type", nothing],
  ["http-errors", "evacuate-unknown-field", nothing],
  ["http-errors", "restore-unknown-field", nothing],
  ["pool-create", "pool-create-already-exists", nothing],
  ["pool-create", "pool-create-bad-path", nothing],
  ["pool-create", "pool-create-unsupported-provider", nothing],
  ["pool-create", "pool-create-unknown-node", nothing],
  ["pool-create", "pool-props-set", nothing],
  ["pool-delete", "pool-delete-unknown", nothing],
  ["pool-delete", "pool-delete-in-use", volume("pvc-1", pair)],
  ["pool-delete", "pool-delete-offline-node", offline("node-4")],
  ["resource-view", "resource-view-unknown-node", nothing],
  ["snapshot", "snapshot-view-unknown-node", nothing],
  ["evacuate-no-resources", "evacuate-unknown-node", nothing],
  ["evacuate-no-resources", "evacuate-empty-node", nothing],
  ["evacuate-no-resources", "evacuate-empty-node-again", evacuated("node-3")],
  ["evacuate-no-resources", "evacuate-node-hanging", ({ linstor }) => linstor.hangSatellite(addressOf("node-1"))],
  ["evacuate-drbd", "evacuate-drbd-resource-create-path", volume("pvc-2", pair)],
  ["evacuate-drbd", "evacuate-drbd-resource", volume("pvc-1", { ...pair, tieBreaker: "node-3" })],
  ["evacuate-single-replica", "evacuate-single-replica", volume("pvc-41", { copies: ["node-1"] })],
  [
    "evacuate-single-replica",
    "evacuate-offline-node-single-replica",
    both(volume("pvc-5", { copies: ["node-1"] }), offline("node-1")),
  ],
  [
    "evacuate-just-delete",
    "evacuate-more-replicas-than-place-count",
    volume("pvc-42", { copies: ["node-1", "node-2", "node-3"], placeCount: 2 }),
  ],
  [
    "evacuate-just-delete",
    "evacuate-only-replica-not-uptodate",
    both(volume("pvc-44", { copies: ["node-1"] }), ({ linstor }) => linstor.setDisk("pvc-44", "node-1", "Outdated")),
  ],
  [
    "evacuate-tie-breaker",
    "evacuate-tie-breaker-node",
    volume("pvc-45", { copies: ["node-2", "node-3"], tieBreaker: "node-1" }),
  ],
  [
    "evacuate-in-use",
    "evacuate-diskless-in-use",
    both(volume("pvc-4", { copies: ["node-2", "node-3"], clients: ["node-1"] }), ({ linstor }) =>
      linstor.setInUse("pvc-4", "node-1", true),
    ),
  ],
  [
    "evacuate-in-use-mixed",
    "evacuate-one-of-three-resources-in-use-diskless",
    both(
      offline("node-3"),
      volume("pvc-a", { copies: ["node-2", "node-3"], clients: ["node-1"] }),
      volume("pvc-b", pair),
      volume("pvc-z", pair),
      ({ linstor }) => linstor.setInUse("pvc-a", "node-1", true),
    ),
  ],
  [
    "evacuate-snapshot",
    "evacuate-with-snapshot",
    both(volume("pvc-50", pair), ({ linstor }) => linstor.addSnapshot("snap1", "pvc-50", ["node-1", "node-2"])),
  ],
  ["evacuate-target-lists", "evacuate-target-list-both-with-resource", volume("pvc-40", pair)],
  ["evacuate-target-lists", "evacuate-target-unknown-node-with-resource", volume("pvc-40", pair)],
  ["evacuate-warnings", "evacuate-storage-layer-resource", volume("vol-stor", { copies: ["node-1"], drbd: false })],
  ["evacuate-warnings", "evacuate-no-target-available", volume("pvc-40", pair)],
  ["evacuate-warnings", "evacuate-candidate-targets-offline", both(volume("pvc-a3", pair), away("node-3", "node-4"))],
  [
    "evacuate-warnings",
    "evacuate-targets-excluded-by-autoplacetarget",
    both(volume("pvc-97", pair), placedOnly("node-3"), placedOnly("node-4")),
  ],
  [
    "evacuate-warnings",
    "evacuate-again-only-snapshot-left",
    both(volume("pvc-50", { copies: ["node-2"] }), ({ linstor }) => linstor.addSnapshot("snap1", "pvc-50", ["node-1"])),
  ],
  ["restore", "restore-unknown-node", nothing],
  ["restore", "restore-not-evacuated", nothing],
  ["restore", "restore-evacuated-empty-node", evacuated("node-3")],
  [
    "restore",
    "restore-with-resource",
    both(volume("vol-stor", { copies: ["node-1"], drbd: false }), evacuated("node-1")),
  ],
  ["delete-node", "delete-unknown-node", nothing],
  ["delete-node", "delete-online-empty-node-with-pool", nothing],
  ["delete-node", "delete-evicted-node", ({ linstor }) => linstor.evict("node-1")],
  [
    "delete-node",
    "delete-node-with-resource-in-use",
    both(volume("pvc-10", pair), ({ linstor }) => linstor.setInUse("pvc-10", "node-1", true)),
  ],
  [
    "delete-node",
    "delete-node-last-diskful-with-diskless-client",
    volume("pvc-11", { copies: ["node-1"], clients: ["node-2"] }),
  ],
  ["delete-node", "delete-node-with-last-replica", volume("vol-stor", { copies: ["node-1"], drbd: false })],
  ["delete-node-with-data", "delete-offline-node-with-drbd-replica", both(volume("pvc-12", pair), offline("node-2"))],
  [
    "delete-node-with-data",
    "delete-offline-node-with-resource",
    both(volume("vol-auto", { copies: ["node-2"], drbd: false }), offline("node-2")),
  ],
  [
    "delete-node-stuck",
    "delete-node-satellite-fails",
    both(volume("pvc-a1", pair), ({ linstor }) => linstor.setFailing(addressOf("node-1"), true)),
  ],
  ["lost", "lost-unknown-node", nothing],
  ["lost", "lost-connected-node", nothing],
  [
    "lost",
    "lost-offline-node-with-replica",
    both(volume("pvc-1", { ...pair, tieBreaker: "node-3" }), offline("node-2")),
  ],
];

/** In the recordings all satellites were on one machine; here each has an address of its own. */
function requestOf({ request }: RecordedExchange) {
  const { method, path, body } = request;
  return [method, path, body] as const;
}

test.each(vectors)("%s: %s is answered as it was recorded", async (file, operation, before) => {
  const recorded = exchange(file, operation);
  const harness = await openBed();
  await before(harness);
  const { status, body } = await harness.ask(...requestOf(recorded));
  expect(status).toBe(recorded.response.status);
  const theirs = gist(recorded.response.body);
  expect(gist(body)).toEqual(theirs);
  if (recorded.request.method === "GET" && theirs.length === 0) expect(body).toEqual(recorded.response.body);
});

test("a pool of an offline node is unknown to it", async () => {
  const recorded = exchange("pool-create", "pool-create-offline-node");
  const harness = await openBed();
  await offline("node-4")(harness);
  const body = { storage_pool_name: "pool9", provider_kind: "FILE_THIN", props: full };
  const { status, body: said } = await harness.ask("POST", "/v1/nodes/node-4/storage-pools", body);
  expect([status, gist(said)]).toEqual([recorded.response.status, gist(recorded.response.body)]);
});

test("what a satellite was not connected for it receives when it is: its copy is moved then", async () => {
  const harness = await openBed();
  await volume("pvc-5", { copies: ["node-1"] })(harness);
  await offline("node-1")(harness);
  // "As soon the satellite is connected, it will receive this update", says the recorded evacuate-offline.
  await harness.ask("PUT", "/v1/nodes/node-1/evacuate", {});
  const target = ["node-2", "node-3", "node-4"].find((node) => harness.linstor.hasCopy("pvc-5", node)) ?? "none";
  await harness.clock.advance(60_000);
  expect(harness.linstor.goodCopies("pvc-5")).toEqual(["node-1"]);
  harness.linstor.startSatellite(addressOf("node-1"));
  await harness.clock.advance(30_000);
  expect(harness.linstor.goodCopies("pvc-5")).toEqual([target]);
  expect(harness.linstor.hasCopy("pvc-5", "node-1")).toBe(false);
});

describe("what is listed has the fields that the real one lists", () => {
  test.each([
    ["node-read", "node-get-online", "/v1/nodes/node-1"],
    ["resource-view", "resource-view-drbd", "/v1/view/resources?resources=pvc-1"],
    ["snapshot", "snapshot-view", "/v1/view/snapshots?nodes=node-1"],
    ["pool-read", "pool-list-of-node", "/v1/nodes/node-1/storage-pools"],
    ["definitions", "rd-list", "/v1/resource-definitions"],
  ])("%s: %s", async (file, operation, path) => {
    const harness = await openBed();
    harness.linstor.addVolume("pvc-1", pair);
    harness.linstor.addSnapshot("snap1", "pvc-1", ["node-1", "node-2"]);
    const { body } = await harness.ask("GET", path);
    const first = (value: unknown) => (Array.isArray(value) ? value[0] : value) as Record<string, unknown>;
    const theirs = first(exchange(file, operation).response.body);
    for (const [key, value] of Object.entries(first(body)))
      expect([key, theirs[key] === undefined ? "absent" : typeof theirs[key]]).toEqual([key, typeof value]);
  });
});

test("every recorded operation with a node that does not exist has its code 300 or 3000 here, too", async () => {
  const harness = await openBed();
  const unknown = ["node-read", "evacuate-no-resources", "restore", "delete-node", "lost"]
    .flatMap((file) => exchangesIn(file))
    .filter(({ request }) => request.path.includes("node-9"));
  expect(unknown.length).toBeGreaterThan(3);
  for (const recorded of unknown) {
    const { status, body } = await harness.ask(...requestOf(recorded));
    expect([recorded.operation, status, gist(body)]).toEqual([
      recorded.operation,
      recorded.response.status,
      gist(recorded.response.body),
    ]);
  }
});

describe("timelines: the same course of states, in the same order", () => {
  interface Listed {
    name: string;
    node_name: string;
    flags?: string[];
    props?: Record<string, string>;
    volumes: { state?: { disk_state?: string | null } }[];
  }
  /** A copy by what matters of it: where, its disk, and whether it leaves. */
  function copiesOf(listed: readonly Listed[]): string {
    return listed
      .map(({ node_name, flags = [], volumes }) => {
        const disk = volumes[0]?.state?.disk_state ?? "-";
        const leaves = flags.includes("DELETE") ? " leaves" : "";
        const client = flags.includes("DISKLESS") ? " client" : "";
        return `${node_name} ${leaves ? "" : disk.replace(/^(SyncTarget|Inconsistent).*/, "syncs")}${leaves}${client}`;
      })
      .sort()
      .join(", ");
  }
  const distinct = (all: readonly string[]) => all.filter((one, index) => one !== all[index - 1]);

  interface Course {
    seconds: number;
    before?: Before;
    steps?: Record<number, (harness: Harness) => void>;
    placeCount?: number;
  }
  const restarts = {
    6: ({ linstor }: Harness) => linstor.stopController(),
    7.6: ({ linstor }: Harness) => linstor.startController(),
  };
  const courses: [string, Course][] = [
    ["evacuate-create-then-delete-node", { seconds: 10, before: volume("pvc-1", pair) }],
    ["evacuate-toggle-tiebreaker", { seconds: 12, before: volume("pvc-1", { ...pair, tieBreaker: "node-3" }) }],
    ["restore-does-not-cancel-migration", { seconds: 12, before: volume("pvc-1", pair) }],
    ["two-evacuate-calls-in-flight", { seconds: 4.3, before: volume("pvc-1", { copies: ["node-1"] }) }],
    [
      "evacuate-in-use-source",
      {
        seconds: 17,
        before: both(volume("pvc-1", pair), ({ linstor }) => linstor.setInUse("pvc-1", "node-1", true)),
        steps: { 15.2: ({ linstor }) => linstor.setInUse("pvc-1", "node-1", false) },
      },
    ],
    ["controller-restart-during-migration", { seconds: 52, before: volume("pvc-1", pair), steps: restarts }],
    [
      "source-satellite-dies-during-sync",
      {
        seconds: 45,
        before: volume("pvc-1", pair),
        steps: {
          7: ({ linstor }) => linstor.stopSatellite(addressOf("node-1")),
          26.4: ({ linstor }) => linstor.startSatellite(addressOf("node-1")),
        },
      },
    ],
    ["evacuate-repeated-while-syncing", { seconds: 33, before: volume("pvc-1", pair) }],
  ];

  test.each(courses)("%s", async (name, { seconds, before = nothing, steps = {} }) => {
    const recorded = timeline(name);
    const harness = await openBed();
    await before(harness);
    const start = harness.clock.now();
    for (const { at_s, action } of recorded) {
      if (typeof action !== "object" || action.method !== "PUT" || at_s > seconds) continue;
      harness.clock.after(at_s * 1000, () => {
        harness.begin("PUT", action.path, action.body).catch(() => {});
      });
    }
    for (const [at, step] of Object.entries(steps)) harness.clock.after(Number(at) * 1000, () => step(harness));
    const seen: string[] = [];
    for (let at = 0; at <= seconds; at += 0.1) {
      await harness.clock.advance(start + at * 1000 - harness.clock.now());
      const { body } = await harness.begin("GET", "/v1/view/resources").catch(() => ({ body: undefined }));
      if (body) seen.push(copiesOf(body as Listed[]));
    }
    // A poll in between sees more than the recording's did: what was recorded has to come in its order.
    let rest = distinct(seen);
    const course = distinct(
      recorded.flatMap(({ at_s, listing }) => (listing && at_s <= seconds ? [copiesOf(listing.resources)] : [])),
    );
    expect(course.length).toBeGreaterThan(2);
    for (const state of course) {
      expect(rest).toContain(state);
      rest = rest.slice(rest.indexOf(state));
    }
    // And it ends in the same state.
    expect(seen.at(-1)).toBe(course.at(-1));
  });
});
