import { execFile } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { Volume } from "../../../functions/volume/lib/kinds.ts";
import { salt } from "../../../functions/volume/lib/salt/system.ts";
import { createControllerTools } from "../../../local/controllers/controller-tools.ts";
import { startKubelet, usualHeartbeat } from "../../../local/controllers/kubelet/start-kubelet.ts";
import { serveSystem } from "../../../local/system-server/serve-system.ts";
import { systemClock } from "../../../shared/clock.ts";
import { Node, PersistentVolumeClaim, Pod, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { connectSystems } from "../../../shared/serve/connect-systems.ts";
import type { Cluster, Setting } from "../../harness/cluster.ts";
import { realServer } from "../../harness/real-server.ts";
import { minion } from "../../scenarios/volume/helpers.ts";
import { freePorts } from "../free-ports.ts";
import { kubectl } from "../kubectl.ts";
import { backendOnCluster } from "../open-backend.ts";
import { ownCluster } from "../own-cluster.ts";
import { startBareSalt } from "../salt-lab.ts";
import { createInstalls, inWay, ways } from "./installs.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk, type Walk } from "./walk.ts";

const page = "docs/volumes.md";
/** Where the harness has brokers, in place of Knative's or of platform-source. */
const broker = "http://broker-ingress.knative-eventing.svc.cluster.local/holdfast/storage";
const cluster = ownCluster;
const { HOLDFAST_KNATIVE_CRDS: definitions } = process.env;
// A master takes three ports in a row, salt-api the first of them.
const [port = 24_000] = cluster ? await freePorts(1) : [];
const ready = cluster?.assets && kubectl && definitions;
const lab = ready
  ? startBareSalt(port)
  : "that takes kubectl in KUBEBUILDER_ASSETS and Knative's definitions in HOLDFAST_KNATIVE_CRDS.";
if (cluster && typeof lab === "string") console.log(`${page} is not walked on a real Salt: ${lab}`);

describe.skipIf(typeof lab === "string")(`${page} walked on a real Salt`, { timeout: 900_000 }, () => {
  if (!cluster || typeof lab === "string") return;
  const server = realServer(cluster.kubeconfig, { throwaway: true });
  const { admin } = server;
  const ended = new AbortController();
  const installs = createInstalls(server, cluster.kubeconfig, definitions ?? "");
  afterAll(() => {
    ended.abort(new Error("The suite is over."));
    lab.stop();
  });
  const { open } = backendOnCluster(cluster);
  let world: Cluster | undefined;
  let reactor: Awaited<ReturnType<typeof serveSystem>>;
  let walk: Walk;

  beforeAll(async () => {
    // An ingress: what the reactor posts comes to the broker.
    reactor = await serveSystem(async ({ headers, body = "" }) => {
      const { status } = (await world?.post?.(broker, { headers, body })) ?? { status: 503 };
      posted.push(status);
      return { status, headers: {}, body: "" };
    });
    walk = openWalk(lab.folder, cluster.kubeconfig, {
      // This machine is master, node and workstation, without systemd.
      texts: [
        ["/srv/", `${lab.folder}/srv/`],
        ["/etc/salt/", `${lab.folder}/master/`],
        ["/tmp/", `${lab.folder}/`],
        ["https://holdfast.example/", `${reactor.url}/`],
        ["https://salt-master:", "https://127.0.0.1:"],
        ["DNS:salt-master", "IP:127.0.0.1"],
        ["4507", String(port)],
      ],
      files: ["knative/salt/master.d/holdfast.conf"],
      commands: {
        systemctl: `case "$*" in
  "restart salt-master salt-api") ${lab.lab} restart ${lab.folder} ;;
  "restart salt-minion") ${lab.lab} restart ${lab.folder} ${minion} ;;
  *) exit 1 ;;
esac`,
        // Packages of this machine are not touched: that state is only read.
        salt: `case "$*" in
  *metalk8s.volumes.tools) set -- "$1" state.show_sls metalk8s.volumes.tools ;;
esac
exec ${lab.lab} salt ${lab.folder} "$@"`,
      },
    });
    const tools = createControllerTools({
      transport: server.transport,
      clock: systemClock,
      random: seededRandom(1),
      signal: ended.signal,
      trouble: () => {},
    });
    await startKubelet(tools, { nodes: [minion], heartbeat: usualHeartbeat }).synced;
  });
  afterAll(() => reactor?.close());

  const posted: number[] = [];
  const scriptBelow = (heading: string) => scriptOf(blocksBelow(page, heading));

  test("the master takes Holdfast's files, and each minion has the functions", async () => {
    await walk.run(`${scriptBelow("1. The Salt master")}\necho "$password" > password`);
    const { stdout } = await promisify(execFile)("bash", [
      "-c",
      `${lab.lab} salt ${lab.folder} '*' sys.list_functions metalk8s_volumes`,
    ]);
    expect(stdout).toContain("metalk8s_volumes.prepare");
  });

  test.each(ways)("%s: a claim is bound to a Volume, and both go", async (way) => {
    await installs.begin(way);
    // What a person carries from the master.
    copyFileSync(join(lab.folder, "master/pki/api.crt"), join(walk.checkout, "ca.crt"));
    await walk.run(`password=$(cat password)\n${scriptBelow("2. The password")}`);
    await walk.run(scriptOf(inWay(way, blocksBelow(page, "3. The functions"))));

    const folder = join(lab.folder, way.replace(" ", "-"));
    const [setting, environment] = await installs.read(way, "volume", "volume-run-job", folder);
    posted.length = 0;
    const connect: Setting["connect"] = (clock) => connectSystems({ salt }, environment, clock);
    world = await open({ ...setting, connect }, { whenOver: () => {} });
    const { sweep } = world;
    const ticks = setInterval(() => void sweep().catch(() => {}), 60_000);
    try {
      await walk.run(scriptBelow("4. A class, a Volume and a claim"));
      const claim = await admin.get<Claim>(PersistentVolumeClaim, "default", "data");
      expect(claim).toMatchObject({ spec: { volumeName: "prometheus-0" }, status: { phase: "Bound" } });
      expect(posted).toContain(202);
      await admin.delete(Pod, "default", "reader");
      await admin.delete(PersistentVolumeClaim, "default", "data");
      await admin.delete(Volume, undefined, "prometheus-0");
      const isGone = async () => !(await admin.get(Volume, undefined, "prometheus-0"));
      await server.eventually("the Volume is gone", isGone);
    } finally {
      clearInterval(ticks);
    }
    await admin.delete(StorageClass, undefined, "metalk8s");
    await installs.end();
  });

  afterAll(() => admin.delete(Node, undefined, minion));
});

type Claim = KubernetesObject & { readonly spec: object; readonly status?: object };
