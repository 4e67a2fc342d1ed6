import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { LinstorCluster, LinstorSatellite } from "../../../functions/satellite/lib/kinds.ts";
import { linstor } from "../../../functions/satellite/lib/linstor/system.ts";
import { createControllerTools } from "../../../local/controllers/controller-tools.ts";
import { startKubelet, usualHeartbeat } from "../../../local/controllers/kubelet/start-kubelet.ts";
import { createLinstor } from "../../../local/linstor/linstor.ts";
import { certify } from "../../../local/start/salt/testing/certify.ts";
import { serveSystem } from "../../../local/system-server/serve-system.ts";
import { systemClock } from "../../../shared/clock.ts";
import { Namespace, Node } from "../../../shared/kubernetes/kind.ts";
import { connectSystems } from "../../../shared/serve/connect-systems.ts";
import type { Setting } from "../../harness/cluster.ts";
import { realServer } from "../../harness/real-server.ts";
import { kubectl } from "../kubectl.ts";
import { backendOnCluster } from "../open-backend.ts";
import { ownCluster } from "../own-cluster.ts";
import { startSatellites } from "../satellite/start-satellites.ts";
import { createInstalls, inWay, ways } from "./installs.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk, type Walk } from "./walk.ts";

const page = "docs/satellites.md";
const node = "worker-0";
const cluster = ownCluster;
const { HOLDFAST_KNATIVE_CRDS: definitions } = process.env;
const ready = Boolean(cluster?.assets && kubectl && definitions);
if (cluster && !ready)
  console.log(
    `${page} is not walked: that takes kubectl in KUBEBUILDER_ASSETS and Knative's definitions in ` +
      "HOLDFAST_KNATIVE_CRDS.",
  );

describe.skipIf(!ready)(`${page} walked beside LINSTOR's stand-in`, { timeout: 900_000 }, () => {
  if (!cluster) return;
  const server = realServer(cluster.kubeconfig, { throwaway: true });
  const { admin, eventually } = server;
  const installs = createInstalls(server, cluster.kubeconfig, definitions ?? "");
  const { open } = backendOnCluster(cluster);
  const ended = new AbortController();
  const folder = mkdtempSync(join(tmpdir(), "walk-"));
  let end = async () => {};
  let walk: Walk;

  beforeAll(async () => {
    const random = seededRandom(1);
    const standIn = createLinstor({ clock: systemClock, random });
    const { key, cert, authorityFile } = certify(folder);
    const api = await serveSystem(standIn.transport, { key, cert });
    walk = openWalk(folder, cluster.kubeconfig, {
      texts: [
        ["https://linstor-controller.piraeus-datastore.svc:3371", api.url],
        // The only directory that satellites of the stand-in have.
        ["/var/lib/linstor-pools/pool1", "/srv/pool"],
      ],
      commands: {},
    });
    copyFileSync(authorityFile, join(walk.checkout, "ca.crt"));
    writeFileSync(join(walk.checkout, "tls.crt"), cert);
    writeFileSync(join(walk.checkout, "tls.key"), key);
    const trouble = () => {};
    const parts = { transport: server.transport, clock: systemClock, random, signal: ended.signal, trouble };
    const tools = createControllerTools(parts);
    startSatellites(tools, standIn);
    await startKubelet(tools, { nodes: [node], heartbeat: usualHeartbeat }).synced;
    end = api.close;
  });
  afterAll(async () => {
    ended.abort(new Error("The suite is over."));
    await end();
    await admin.delete(Node, undefined, node);
    rmSync(folder, { recursive: true });
  });

  test.for(ways)("%s: a Node is registered with its pool", async (way, { skip }) => {
    const left = await admin.get(Namespace, undefined, "piraeus-datastore");
    skip(left !== undefined, "The page makes a namespace that an earlier suite has left on this control plane.");
    await installs.begin(way);
    await walk.run(scriptOf(blocksBelow(page, "1. The certificates")));
    await walk.run(scriptOf(inWay(way, blocksBelow(page, "2. The functions"))));

    const home = join(folder, way.replace(" ", "-"));
    const [setting, environment] = await installs.read(way, "satellite", "satellite-register", home);
    const connect: Setting["connect"] = (clock) => connectSystems({ linstor }, environment, clock);
    const { sweep } = await open({ ...setting, connect }, { whenOver: () => {} });
    const ticks = setInterval(() => void sweep().catch(() => {}), 30_000);
    const controller = connectSystems({ linstor }, environment)(linstor).at(undefined);
    try {
      expect(await controller.nodes.get(node)).toBeUndefined();
      await walk.run(scriptOf(blocksBelow(page, "3. Nodes and their pools")));
      const pools = (await controller.pools.onNode(node)) ?? [];
      expect(pools.map(({ name }) => name)).toContain("pool1");
      const [look] = blocksBelow(page, "What you see");
      await walk.run(scriptOf(look ? [look] : []));
      expect(await walk.run(scriptOf(blocksBelow(page, "Change the policy")))).toMatch(/^worker-0 +Evacuate +<none>$/m);
      await admin.delete(LinstorCluster, undefined, "linstorcluster");
      await eventually("the satellite is gone", async () => !(await admin.get(LinstorSatellite, undefined, node)));
    } finally {
      clearInterval(ticks);
    }
    await installs.end();
    // LINSTOR keeps the node, which the next install would find.
    await controller.pools.delete(node, "pool1");
    await controller.nodes.delete(node);
    await admin.delete(Namespace, undefined, "piraeus-datastore");
    await admin.patch(Node, undefined, node, "merge", { metadata: { labels: { "example.com/linstor": null } } });
    await eventually(
      "the namespace is gone",
      async () => !(await admin.get(Namespace, undefined, "piraeus-datastore")),
    );
  });
});
