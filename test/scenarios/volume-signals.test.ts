import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { phaseOf } from "../../functions/volume/lib/volume.ts";
import type { JobReturned } from "../../local/salt/master.ts";
import { createNode as createStorage } from "../../local/salt/node/node.ts";
import { reactTo } from "../../local/salt/reactor.ts";
import type { HttpRequest } from "../../shared/http-message.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import type { Cluster } from "../harness/cluster.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { setStatus } from "../harness/set-status.ts";
import { createNodeAndClass, createVolume, minion, swept, volumeOf } from "./volume/helpers.ts";
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

/** A cluster whose Salt announces the end of each job, or does not. */
async function open(signals: boolean, node = createStorage(minion), answers: number[] = []): Promise<Cluster> {
  const cluster: Cluster = await openCluster(
    standInWith(node, (job) => {
      // The reactor passes over all that is no job of a Volume.
      if (signals && reactTo(job)) cluster.post?.(broker, asRecorded(job)).then(({ status }) => answers.push(status));
    }),
  );
  await createNodeAndClass(cluster);
  return cluster;
}

const phase = async (cluster: Cluster, name: string) => phaseOf((await volumeOf(cluster, name)) ?? {});

test("the end of a job triggers run-job at once, by the event of a real reactor and without the sweep", async () => {
  const answers: number[] = [];
  const cluster = await open(true, createStorage(minion), answers);
  const name = await createVolume(cluster);
  await cluster.rest();
  expect(await phase(cluster, name)).toBe("Available");
  expect(answers).toEqual([202]);

  await cluster.admin.delete(Volume, undefined, name);
  await cluster.rest();
  expect(await volumeOf(cluster, name)).toBeUndefined();
  await cluster.stop();
});

test("five Volumes of one node are made by events alone, and go so", async () => {
  const cluster = await open(true);
  const first = await createVolume(cluster);
  const { apiVersion, kind, spec } = (await volumeOf(cluster, first)) ?? {};
  const names = [first, ...["2", "3", "4", "5"].map((n) => `${first}-${n}`)];
  await Promise.all(
    names.slice(1).map((name) => cluster.admin.create(Volume, { apiVersion, kind, metadata: { name }, spec } as never)),
  );
  await cluster.rest();
  expect(await Promise.all(names.map((name) => phase(cluster, name)))).toEqual(names.map(() => "Available"));
  await Promise.all(names.map((name) => cluster.admin.delete(Volume, undefined, name)));
  await cluster.rest();
  for (const name of names) expect(await volumeOf(cluster, name)).toBeUndefined();
  await cluster.stop();
});

test("a lost event leaves a Volume Pending until the sweep", async () => {
  const cluster = await open(false);
  const name = await createVolume(cluster);
  for (let rests = 0; rests < 4; rests++) await cluster.rest();
  expect(await phase(cluster, name)).toBe("Pending");
  await swept(cluster, "it is Available", async () =>
    (await phase(cluster, name)) === "Available" ? true : undefined,
  );
  await cluster.stop();
});

test("after a boot of the node each Volume has the name that its device has now", async () => {
  const node = createStorage(minion);
  const cluster = await open(true, node);
  const boot = (bootID: string) => setStatus(cluster.admin, Node, undefined, minion, { nodeInfo: { bootID } });
  await boot("first");
  const first = await createVolume(cluster);
  await cluster.rest();
  const second = `${first}-2`;
  const { apiVersion, kind, spec } = (await volumeOf(cluster, first)) ?? {};
  await cluster.admin.create(Volume, { apiVersion, kind, metadata: { name: second }, spec } as never);
  await cluster.rest();
  const devices = () =>
    Promise.all([first, second].map(async (name) => (await volumeOf(cluster, name))?.status?.deviceName));
  expect(await devices()).toEqual(["loop0", "loop1"]);

  node.reboot();
  await boot("second");
  // The kubelet's reports are no trigger: the sweep has `refresh-device-name` look once an hour.
  const isKnown = async () => ((await devices()).join() === "loop1,loop0" ? true : undefined);
  await swept(cluster, "the names are those of the new boot", isKnown);
  await cluster.stop();
});
