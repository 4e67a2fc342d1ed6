import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { phaseOf } from "../../functions/volume/lib/volume.ts";
import type { JobReturned } from "../../local/salt/master.ts";
import { createNode as createStorage } from "../../local/salt/node/node.ts";
import { reactTo } from "../../local/salt/reactor.ts";
import type { HttpRequest } from "../../shared/http-message.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import type { World } from "../worlds/world.ts";
import { createClass, createNode, createVolume, minion, swept, volumeOf } from "./volume/helpers.ts";
import { standInWith } from "./volume/settings.ts";

const broker = "http://broker-ingress.knative-eventing.svc.cluster.local/holdfast/storage";
const recorded = readFileSync(new URL("../contract/salt/recorded/job-returned.json", import.meta.url), "utf8");

/** What a real Salt's reactor has posted, about another job and another Volume. */
function asRecorded({ jid, id, metadata }: JobReturned): HttpRequest {
  const { volume, uid, step } = metadata as Record<string, string>;
  const about = { "20261122152718683913": jid, "worker-0": id, "holdfast-tour": volume, PrepareVolume: step };
  let text = recorded.replaceAll("7ba81d38-eb37-4cb8-912e-477857cbd7b9", uid ?? "");
  for (const [theirs, ours] of Object.entries(about)) text = text.replaceAll(theirs, ours ?? "");
  const { headers, body } = JSON.parse(text) as HttpRequest;
  const { "content-length": _, connection, host, ...rest } = headers as Record<string, string>;
  return { headers: rest, body };
}

/** A world whose Salt tells of the ends of jobs, or does not. */
async function open(signals: boolean, node = createStorage(minion), answers: number[] = []): Promise<World> {
  const world: World = await emulatedWorld(
    standInWith(node, (job) => {
      // The reactor passes over whatever is no job of a Volume.
      if (signals && reactTo(job)) world.post?.(broker, asRecorded(job)).then(({ status }) => answers.push(status));
    }),
  );
  await createNode(world);
  await createClass(world);
  return world;
}

const phase = async (world: World, name: string) => phaseOf((await volumeOf(world, name)) ?? {});

test("the end of a job triggers run-job at once, by the event of a real reactor and without the sweep", async () => {
  const answers: number[] = [];
  const world = await open(true, createStorage(minion), answers);
  const name = await createVolume(world);
  await world.rest();
  expect(await phase(world, name)).toBe("Available");
  expect(answers).toEqual([202]);

  await world.admin.delete(Volume, undefined, name);
  await world.rest();
  expect(await volumeOf(world, name)).toBeUndefined();
  await world.stop();
});

test("five Volumes of one node are made by events alone, and go so", async () => {
  const world = await open(true);
  const first = await createVolume(world);
  const { apiVersion, kind, spec } = (await volumeOf(world, first)) ?? {};
  const names = [first, ...["2", "3", "4", "5"].map((n) => `${first}-${n}`)];
  await Promise.all(
    names.slice(1).map((name) => world.admin.create(Volume, { apiVersion, kind, metadata: { name }, spec } as never)),
  );
  await world.rest();
  expect(await Promise.all(names.map((name) => phase(world, name)))).toEqual(names.map(() => "Available"));
  await Promise.all(names.map((name) => world.admin.delete(Volume, undefined, name)));
  await world.rest();
  for (const name of names) expect(await volumeOf(world, name)).toBeUndefined();
  await world.stop();
});

test("a lost event leaves a Volume Pending until the sweep", async () => {
  const world = await open(false);
  const name = await createVolume(world);
  for (let rests = 0; rests < 4; rests++) await world.rest();
  expect(await phase(world, name)).toBe("Pending");
  await swept(world, "it is Available", async () => ((await phase(world, name)) === "Available" ? true : undefined));
  await world.stop();
});

test("after a boot of the node each Volume has the name that its device has now", async () => {
  const node = createStorage(minion);
  const world = await open(true, node);
  const boot = (bootID: string) =>
    world.admin.patch(
      Node,
      undefined,
      minion,
      "merge",
      { status: { nodeInfo: { bootID } } },
      { subresource: "status" },
    );
  await boot("first");
  const first = await createVolume(world);
  await world.rest();
  const second = `${first}-2`;
  const { apiVersion, kind, spec } = (await volumeOf(world, first)) ?? {};
  await world.admin.create(Volume, { apiVersion, kind, metadata: { name: second }, spec } as never);
  await world.rest();
  const devices = () =>
    Promise.all([first, second].map(async (name) => (await volumeOf(world, name))?.status?.deviceName));
  expect(await devices()).toEqual(["loop0", "loop1"]);

  node.reboot();
  await boot("second");
  // The kubelet's reports are no trigger: the sweep has `refresh-device-name` look once an hour.
  const isKnown = async () => ((await devices()).join() === "loop1,loop0" ? true : undefined);
  await swept(world, "the names are those of the new boot", isKnown);
  await world.stop();
});
