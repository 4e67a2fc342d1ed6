import { afterEach, beforeEach, expect, test } from "vitest";
import { customResourceDefinition } from "../../build/manifests/crd/definition.ts";
import { seededRandom } from "../../eventing/random.ts";
import { applyDaemonset } from "../../functions/satellite/apply-daemonset/rule.ts";
import { DaemonSet, LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { linstor as linstorSystem } from "../../functions/satellite/lib/linstor/system.ts";
import { type LinstorSatelliteObject, satelliteFinalizer } from "../../functions/satellite/lib/satellite.ts";
import { customKinds } from "../../functions/satellite/lib/schema/custom-kinds.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { createLinstor } from "../../local/linstor/linstor.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, Namespace, Node } from "../../shared/kubernetes/kind.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { receive } from "../../shared/pipeline/receive.ts";
import { atOneRoot } from "../../shared/system/testing/at-one-root.ts";
import { manifest } from "../harness/manifest.ts";

const clock = virtualClock();
const node = "node-1";
const home = "piraeus-datastore";
let server: ReturnType<typeof createApiServer>;
let admin: ReturnType<typeof createClient>;
let written: string[];
/** The API server as the function sees it. */
let handle: Transport;

beforeEach(async () => {
  const random = seededRandom(3);
  server = createApiServer({ clock, random });
  admin = createClient(server.handle, { clock });
  written = [];
  handle = server.handle;
  for (const definition of customKinds.map(customResourceDefinition))
    await admin.create(CustomResourceDefinition, definition as never);
  await admin.create(Node, manifest(Node, { name: node }));
  const metadata = { name: node, finalizers: [satelliteFinalizer] };
  await admin.create(
    LinstorSatellite,
    manifest(LinstorSatellite, metadata, { spec: { clusterRef: {}, deletionPolicy: "Retain" } }),
  );
});
afterEach(() => server.close());

/** An event given to the function, whose writes are kept; returns the HTTP status. */
async function delivered(kind: Kind, name: string, type: string): Promise<number> {
  const random = seededRandom(4);
  const transport: Transport = (request) => {
    if (request.method !== "GET") written.push(`${request.method} ${request.path.split("?")[0]}`);
    return handle(request);
  };
  const client = createClient(transport, { clock });
  const settings = linstorSystem.settings.parse({ linstorAllowHttp: "in-cluster" });
  const linstor = linstorSystem.connect({
    ...atOneRoot(createLinstor({ clock, random, syncTime: 1 }).transport),
    clock,
    settings,
    credential: async () => undefined,
  });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const connect = () => linstor as never;
  const receives = receive(applyDaemonset, {
    client: () => client,
    connect,
    clock,
    log,
    settings: applyDaemonset.settings.parse({}),
  });
  const event = { specversion: "1.0", id: "1", source: "test", type, name, namespace: "" };
  const all = { ...event, apiversion: kind.apiVersion, kind: kind.kind };
  const headers = Object.fromEntries(Object.entries(all).map(([key, value]) => [`ce-${key}`, value]));
  return (await outcomeOf(clock, receives({ headers, body: "" }), 60_000)).status;
}
const satellite = async () => (await admin.get<LinstorSatelliteObject>(LinstorSatellite, undefined, node)) as never;
const applied = async () =>
  ((await satellite()) as LinstorSatelliteObject).status?.conditions?.find(({ type }) => type === "Applied");

/** What RBAC says while the function's Role is missing. */
const forbidden = JSON.stringify({ kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "No." });
const isHome = (path: string) => path.includes(`/namespaces/${home}/`);

test("a Role that is missing with its namespace is no defect, and one that is missing there is", async () => {
  handle = async (request) =>
    isHome(request.path)
      ? {
          status: 403,
          headers: { "content-type": "application/json" },
          body: (async function* () {
            yield forbidden;
          })(),
        }
      : server.handle(request);
  expect(await delivered(LinstorSatellite, node, "dev.holdfast.sweep")).toBe(204);
  expect((await applied())?.message).toContain("the namespace piraeus-datastore, which does not exist: create");
  await admin.create(Namespace, manifest(Namespace, { name: home }));
  expect(await delivered(Namespace, home, "dev.knative.apiserver.resource.add")).toBe(403);
});

test("the satellites' namespace is missing: said once on the satellite, and applied when it is added", async () => {
  expect(await delivered(LinstorSatellite, node, "dev.holdfast.sweep")).toBe(204);
  expect(await applied()).toMatchObject({ status: "False", reason: "Error" });
  expect((await applied())?.message).toMatch(
    /^Error: .* the namespace piraeus-datastore, which does not exist: create/,
  );
  expect(written.filter((line) => line.includes("/events"))).toHaveLength(1);

  written = [];
  for (let i = 0; i < 3; i++) expect(await delivered(LinstorSatellite, node, "dev.holdfast.sweep")).toBe(204);
  expect(written).toEqual([]);

  await admin.create(Namespace, manifest(Namespace, { name: home }));
  expect(await delivered(Namespace, home, "dev.knative.apiserver.resource.add")).toBe(204);
  expect(await admin.get(DaemonSet, home, `linstor-satellite.${node}`)).toBeDefined();
});
