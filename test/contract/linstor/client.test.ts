import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { entries, LinstorError } from "../../../functions/satellite/lib/linstor/answer.ts";
import { caller } from "../../../functions/satellite/lib/linstor/caller.ts";
import { type Linstor, linstorClient } from "../../../functions/satellite/lib/linstor/client.ts";
import { isGoodCopy, resourceGroup } from "../../../functions/satellite/lib/linstor/objects.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { exchangeWith } from "../../../shared/system/exchange.ts";
import { exchange, exchangesIn, responseOf } from "./recordings.ts";

const files = globSync("*.jsonl", { cwd: join(import.meta.dirname, "recorded") })
  .map((file) => basename(file, ".jsonl"))
  .filter((file) => !file.startsWith("timeline-"));

const severityWords: Record<string, string> = { success: "SUCCESS", info: "INFO", warning: "WARN", error: "ERROR" };

test.each(files)("every severity and code in %s is read as the recording has it in words", (file) => {
  const answered = exchangesIn(file).filter(({ decoded }) => decoded?.length);
  for (const { operation, response, decoded } of answered) {
    const words = entries.parse(response.body).map(({ severity, code }) => [severityWords[severity], code]);
    const expected = decoded?.map((line) => line.split(" ")).map(([severity, , , code]) => [severity, Number(code)]);
    expect(words, operation).toEqual(expected);
  }
});

/** A client whose only request is answered from the recording, if it is the recorded one. */
async function replay<T>(file: string, operation: string, call: (linstor: Linstor) => Promise<T>): Promise<T> {
  const recorded = exchange(file, operation);
  const clock = virtualClock();
  const send = exchangeWith(
    "LINSTOR",
    async ({ method, path, body, headers }) => {
      expect({ method, path, body: body && JSON.parse(body) }).toEqual({ body: undefined, ...recorded.request });
      expect(headers).toEqual({ accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) });
      return responseOf(recorded);
    },
    clock,
    1000,
  );
  return call(linstorClient(caller(send, send), "http://linstor:3370"));
}

const plain = (port: number, address = "127.0.0.1") =>
  ({ name: "default", address, port, encryption: "Plain" }) as const;
const pool = { "StorDriver/StorPoolName": "/srv/pool" };

const commands: [file: string, operation: string, call: (linstor: Linstor) => Promise<unknown>][] = [
  ["node-create", "node-create", ({ nodes }) => nodes.create("node-1", plain(3366))],
  ["node-create", "node-create-nobody-listens", ({ nodes }) => nodes.create("node-x", plain(3399))],
  ["node-create", "node-create-already-exists", ({ nodes }) => nodes.create("node-1", plain(3366))],
  ["node-net-interface", "net-interface-modify", ({ nodes }) => nodes.setAddress("node-4", plain(3369, "127.0.0.9"))],
  [
    "node-properties",
    "node-props-set",
    ({ nodes }) => nodes.modify("node-1", { set: { "Aux/zone": "a", "Aux/piraeus.io/configured-labels": "x" } }),
  ],
  [
    "node-properties",
    "node-props-delete",
    ({ nodes }) => nodes.modify("node-1", { remove: ["Aux/zone", "Aux/never-set"] }),
  ],
  ["node-properties", "node-props-invalid-key", ({ nodes }) => nodes.modify("node-1", { set: { NoSuchKey: "1" } })],
  ["node-properties", "node-modify-unknown", ({ nodes }) => nodes.modify("node-9", { set: { "Aux/zone": "a" } })],
  ["pool-create", "pool-create", ({ pools }) => pools.create("node-1", "pool1", "FILE_THIN", pool)],
  [
    "pool-create",
    "pool-create-bad-path",
    ({ pools }) => pools.create("node-3", "pool2", "FILE_THIN", { "StorDriver/StorPoolName": "/srv/absent" }),
  ],
  ["pool-create", "pool-props-set", ({ pools }) => pools.modify("node-1", "pool1", { set: { "Aux/tier": "fast" } })],
  ["pool-delete", "pool-delete-in-use", ({ pools }) => pools.delete("node-1", "pool1")],
  [
    "definitions",
    "controller-property-set",
    ({ controller }) => controller.modify({ set: { CopyAllSnapsOnEvacuate: "false" } }),
  ],
  ["evacuate-no-resources", "evacuate-empty-node", ({ nodes }) => nodes.evacuate("node-3")],
  ["evacuate-no-resources", "evacuate-unknown-node", ({ nodes }) => nodes.evacuate("node-9")],
  ["evacuate-no-resources", "evacuate-node-hanging", ({ nodes }) => nodes.evacuate("node-1")],
  ["evacuate-drbd", "evacuate-drbd-resource", ({ nodes }) => nodes.evacuate("node-1")],
  ["evacuate-target-lists", "evacuate-target-list", ({ nodes }) => nodes.evacuate("node-1", { target: ["NODE-4"] })],
  [
    "evacuate-warnings",
    "evacuate-no-target-available",
    ({ nodes }) => nodes.evacuate("node-1", { avoid: ["node-3", "node-4"] }),
  ],
  ["evacuate-in-use-mixed", "evacuate-one-of-three-resources-in-use-diskless", ({ nodes }) => nodes.evacuate("node-1")],
  ["evacuate-snapshot", "evacuate-with-snapshot", ({ nodes }) => nodes.evacuate("node-1")],
  ["restore", "restore-with-resource", ({ nodes }) => nodes.restore("node-1")],
  ["restore", "restore-not-evacuated", ({ nodes }) => nodes.restore("node-1")],
  ["delete-node", "delete-unknown-node", ({ nodes }) => nodes.delete("node-9")],
  ["delete-node", "delete-evicted-node", ({ nodes }) => nodes.delete("node-1")],
  ["delete-node", "delete-node-with-resource-in-use", ({ nodes }) => nodes.delete("node-1")],
  ["delete-node-stuck", "delete-node-satellite-fails", ({ nodes }) => nodes.delete("node-1")],
  ["lost", "lost-connected-node", ({ nodes }) => nodes.lose("node-3")],
  ["lost", "lost-offline-empty-node", ({ nodes }) => nodes.lose("node-x")],
];

test.each(commands)("%s: %s is sent as recorded, and its answer is scanned whole", async (file, operation, call) => {
  const { response, decoded = [] } = exchange(file, operation);
  // biome-ignore lint/suspicious/noExplicitAny: entries, or the error.
  const outcome: any = await replay(file, operation, call).catch((error) => error);
  const failed = response.status >= 300;
  expect(outcome instanceof LinstorError).toBe(failed);
  const said = failed ? outcome.entries : outcome;
  expect(said).toHaveLength(decoded.length);
  if (!failed) return;
  expect(outcome.status).toBe(response.status);
  // Each error is in the sentence, also those behind successes and those without a message.
  for (const line of decoded.filter((line) => line.startsWith("ERROR")))
    expect(outcome.message).toContain(`(error ${line.split(" ")[3]})`);
});

test.each([
  ["evacuate-no-resources", "evacuate-node-hanging", "unreachable"],
  ["lost", "lost-connected-node", "unreachable"],
  ["delete-node", "delete-node-with-resource-in-use", "unreachable"],
  ["delete-node-stuck", "delete-node-satellite-fails", "unreachable"],
  ["evacuate-no-resources", "evacuate-unknown-node", "unreachable"],
  ["node-create", "node-create-already-exists", "refused"],
  ["node-properties", "node-props-invalid-key", "refused"],
] as const)("%s: %s is %s", async (file, operation, failure) => {
  const [, , call] = commands.find(([, name]) => name === operation) as (typeof commands)[number];
  await expect(replay(file, operation, call)).rejects.toMatchObject({ name: "SystemError", failure });
});

test("a code of 64 bits is not rounded: 300 is read out of -4611686018427387604", async () => {
  const error = await replay("evacuate-no-resources", "evacuate-unknown-node", ({ nodes }) =>
    nodes.evacuate("node-9"),
  ).catch((error) => error);
  expect(error.entries).toMatchObject([{ severity: "error", code: 300, message: "Node 'node-9' not found." }]);
});

test("nodes are read with flags, addresses and connection", async () => {
  const online = await replay("node-read", "node-get-online", ({ nodes }) => nodes.get("node-1"));
  expect(online).toMatchObject({ name: "node-1", flags: [], connection: "ONLINE" });
  expect(online?.interfaces).toEqual([
    { name: "default", address: "127.0.0.1", port: 3366, encryption: "PLAIN", active: true },
  ]);
  const evicted = await replay("node-read-flags", "node-get-evicted", ({ nodes }) => nodes.get("node-1"));
  expect(evicted).toMatchObject({ flags: ["DELETE", "EVICTED"], connection: "OFFLINE" });
  expect(await replay("node-list", "node-list", ({ nodes }) => nodes.list())).not.toEqual([]);
});

test("copies are read with disk state, use and connections, and without what is unknown", async () => {
  const [source, peer, target] = await replay(
    "resource-view-evacuation",
    "resource-view-during-evacuation",
    (linstor) => linstor.resources.of(["pvc-1"]),
  );
  expect(source).toMatchObject({ node: "node-1", flags: ["EVACUATE"], inUse: false, reported: true, replicated: true });
  expect(source?.peers).toMatchObject({ "node-2": { connected: true } });
  expect([source, peer, target].map((copy) => copy && isGoodCopy(copy))).toEqual([true, true, false]);
  expect(target?.volumes[0]?.diskState).toMatch(/^SyncTarget\(/);
  const storage = await replay("resource-view-flags", "resource-view-offline-node", ({ resources }) =>
    resources.onNode("node-2"),
  );
  expect(storage).toMatchObject([{ replicated: false, reported: false, inUse: undefined }]);
});

test("a node that LINSTOR does not know has no resources to list, and no snapshots", async () => {
  const { resources, snapshots } = { resources: "resource-view", snapshots: "snapshot" };
  expect(await replay(resources, "resource-view-unknown-node", (l) => l.resources.onNode("node-9"))).toBeUndefined();
  expect(await replay(snapshots, "snapshot-view-unknown-node", (l) => l.snapshots.onNode("node-9"))).toEqual([]);
});

test("snapshots are read with the nodes that hold them, pools with sizes that are sizes", async () => {
  expect(await replay("snapshot", "snapshot-view", ({ snapshots }) => snapshots.onNode("node-1"))).toEqual([
    { name: "snap1", resource: "pvc-50", nodes: ["node-1", "node-2"], flags: ["SUCCESSFUL"] },
  ]);
  const pools = await replay("pool-read", "pool-list-of-node", ({ pools }) => pools.onNode("node-1"));
  expect(pools).toMatchObject([
    { name: "DfltDisklessStorPool", provider: "DISKLESS", free: undefined, total: undefined },
    { name: "pool1", provider: "FILE_THIN", free: 70078628, total: 264212084 },
  ]);
});

test("definitions name their groups, and the controller its version", async () => {
  const definitions = await replay("definitions", "rd-list", ({ definitions }) => definitions.list());
  expect(definitions).toMatchObject([
    { name: "pvc-90", group: "rg2" },
    { name: "pvc-91", group: "rg2" },
  ]);
  const { response } = exchange("definitions", "rg-get");
  expect(resourceGroup.parse(response.body)).toEqual({ name: "rg2", props: {}, placeCount: 2 });
  expect(await replay("version", "version-get", (linstor) => linstor.version())).toBe("1.33.3");
});
