import { beforeEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { outcomeOf } from "../../time/testing/outcome-of.ts";
import { type VirtualClock, virtualClock } from "../../time/testing/virtual-clock.ts";
import { storageRights } from "../api/rights.ts";
import type { JobReturned } from "../master.ts";
import { createSalt, type SaltStandIn } from "../salt.ts";
import { volumeFunctions } from "./functions.ts";
import { createNode, type StorageNode } from "./node.ts";
import { sizeInBytes } from "./volume.ts";

let clock: VirtualClock;
let node: StorageNode;
let salt: SaltStandIn;
let events: JobReturned[];
let token: string;
let count = 0;

const uid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
const storageClass = { parameters: { fsType: "ext4" } };
const volume = (spec: object, name = "v1", ofUid = uid) => ({
  metadata: { name, uid: ofUid },
  spec: { nodeName: "worker-0", storageClassName: "metalk8s", storageClass, ...spec },
});
const sparse = (size = "64Mi", rest: object = {}) => volume({ sparseLoopDevice: { size }, ...rest });

async function ask(method: "GET" | "POST", path: string, body?: object) {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = salt.transport({ method, path, headers: { "x-auth-token": token }, ...text });
  return JSON.parse((await outcomeOf(clock, answer, 60_000)).body);
}

/** Posts a job and returns its id. */
async function post(fun: string, kwarg: object): Promise<string> {
  const jid = String(20261122103000000000n + BigInt(++count));
  await ask("POST", "/", { client: "local_async", tgt: "worker-0", fun, kwarg, jid });
  return jid;
}

const resultOf = async (jid: string) => (await ask("GET", `/jobs/${jid}`)).info[0].Result["worker-0"];

async function run(fun: string, kwarg: object) {
  const jid = await post(fun, kwarg);
  await clock.advance(5000);
  return (await resultOf(jid)).return;
}

const path = `/dev/disk/by-uuid/${uid}`;
const prepare = (given?: object) => run("metalk8s_volumes.prepare", { volume: given ?? null });
const unprepare = (given: object) => run("metalk8s_volumes.unprepare", { volume: given });
const done = (rest: object = {}) => ({
  changed: true,
  device: expect.any(String),
  path,
  size: expect.any(String),
  ...rest,
});
const deviceName = (path: string) => run("metalk8s_volumes.device_name", { path });

beforeEach(async () => {
  clock = virtualClock();
  node = createNode("worker-0");
  events = [];
  salt = createSalt({
    clock,
    random: seededRandom(1),
    minions: { "worker-0": volumeFunctions(node) },
    accounts: { storage: storageRights },
    password: "secret",
    onReturn: (event) => events.push(event),
  });
  const login = await ask("POST", "/login", { eauth: "sharedsecret", username: "storage", password: "secret" });
  token = login.return[0].token;
});

describe("a sparse volume", () => {
  test("is prepared once, found by its persistent path, and taken back", async () => {
    expect(await prepare(sparse())).toEqual(done({ size: String(64 * 2 ** 20) }));
    expect(await prepare(sparse())).toEqual(done({ changed: false }));
    expect(await deviceName(path)).toEqual({ success: true, result: "loop0" });
    expect(await unprepare(sparse())).toEqual({ changed: true, uid });
    expect(await unprepare(sparse())).toEqual({ changed: false, uid });
    expect(node.files.size).toBe(0);
    expect(await deviceName(path)).toMatchObject({ success: false });
  });

  test("as a block device has the size of the one partition in its table", async () => {
    const path = `/dev/disk/by-partuuid/${uid}`;
    // What sgdisk shows for a file of 64 MiB: sectors 2048 to 131038.
    const size = String((131_038 - 2048 + 1) * 512);
    expect(await prepare(sparse("64Mi", { mode: "Block" }))).toEqual(done({ size, path }));
    expect(await deviceName(path)).toEqual({ success: true, result: "loop0p1" });
  });

  test("is attached again after a restart of the node, under another name", async () => {
    await prepare(sparse());
    await prepare(volume({ sparseLoopDevice: { size: 512 } }, "v2", "00000000-0000-0000-0000-000000000002"));
    node.reboot();
    expect(await deviceName(`/dev/disk/by-uuid/${uid}`)).toEqual({ success: true, result: "loop1" });
  });

  test("whose job is killed in the middle is completed by the next run", async () => {
    const jid = await post("metalk8s_volumes.prepare", { volume: sparse() });
    await clock.advance(500);
    expect([...node.files.keys()]).toEqual([`${uid}.new`]);
    salt.killJob(jid, "worker-0");
    await clock.advance(5000);
    expect([...node.files.keys()]).toEqual([`${uid}.new`]);
    expect(await resultOf(jid)).toBeUndefined();
    expect(await prepare(sparse())).toEqual(done());
    expect([...node.files.keys()]).toEqual([uid]);
  });

  test("is not made where there is no room, nor in the place of one that is gone", async () => {
    node.full = true;
    expect(await prepare(sparse())).toEqual(expect.stringContaining("No space left on device"));
    node.full = false;
    await prepare(sparse());
    node.files.clear();
    expect(await prepare(sparse())).toEqual(expect.stringContaining("Nothing was created in its place"));
  });
});

test.each([
  [sparse("64Mi", { storageClass: "metalk8s" }), "StorageClass metalk8s of volume v1 not found"],
  [sparse("64Mi", { storageClass: { parameters: { fsType: "btrfs" } } }), "unsupported filesystem: btrfs"],
  [sparse("64Mi", { nodeName: "worker-1" }), "volume v1 belongs to node worker-1, not to worker-0"],
  [volume({}), "must have exactly one of sparseLoopDevice, rawBlockDevice, lvmLogicalVolume, and has 0"],
  [sparse("1Ei"), "the size '1Ei' is not understood"],
  [volume({ rawBlockDevice: { devicePath: "/dev/sdb" } }), "block device /dev/sdb cannot be found"],
  [volume({ lvmLogicalVolume: { vgName: "vg", size: "10M" } }), 'Volume group "vg" not found'],
  [undefined, "a Volume object with metadata and spec is expected"],
])("the definition %o is refused, and nothing is left", async (definition, words) => {
  expect(await prepare(definition)).toEqual(expect.stringContaining(words));
  expect([node.files.size, node.records.size]).toEqual([0, 0]);
});

test.each([
  [1_048_576, 2 ** 20],
  ["1000", 1024],
  ["1M", 1_000_448],
  ["10Gi", 10 * 2 ** 30],
  ["1.5Gi", 3 * 2 ** 29],
  ["0.1Gi", 107_374_592],
  ["1.1Ti", 1_209_462_790_656],
  ["1P", 10 ** 15],
])("%o are %i bytes", (quantity, bytes) => expect(sizeInBytes(quantity)).toBe(bytes));

test("a return is made known once", async () => {
  await prepare(sparse());
  expect(events).toEqual([
    {
      jid: expect.stringMatching(/^\d{20}$/),
      id: "worker-0",
      fun: "metalk8s_volumes.prepare",
      retcode: 0,
      _stamp: expect.stringMatching(/^2026-01-01T00:00:\d\d\.\d{6}\+00:00$/),
    },
  ]);
});

test("a job is known for a day", async () => {
  const jid = await post("metalk8s_volumes.device_name", { path: "/dev/none" });
  await clock.advance(86_400_000 - 1000);
  // The session has ended meanwhile.
  token = (await ask("POST", "/login", { username: "storage", password: "secret" })).return[0].token;
  expect(await resultOf(jid)).toMatchObject({ retcode: 1 });
  await clock.advance(1000);
  expect((await ask("GET", `/jobs/${jid}`)).info[0]).toMatchObject({ Error: expect.any(String), Result: {} });
});
