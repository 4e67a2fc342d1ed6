import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { systemClock } from "../../shared/clock.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { createApiServer } from "../apiserver/server.ts";
import type { ControllerTools } from "../controllers/controller.ts";
import { createControllerTools } from "../controllers/controller-tools.ts";
import { CustomResourceDefinition } from "../controllers/objects/kinds.ts";
import { type Activator, createActivator } from "./activator.ts";
import { startServingController } from "./controller.ts";
import { serviceDefinition } from "./definition.ts";
import { KnativeService } from "./kind.ts";
import type { ServiceStatus } from "./status.ts";

/** A process is started in between, on a machine that may be busy. */
const patient = { timeout: 60_000 };

const fixture = join(import.meta.dirname, "testing/function.mjs");
const url = "http://tester.default.svc.cluster.local";
const server = createApiServer({ clock: systemClock, random: seededRandom(1) });

let stop: AbortController;
let tools: ControllerTools;
let activator: Activator;
let controller: ReturnType<typeof startServingController>;

function open(): void {
  stop = new AbortController();
  tools = createControllerTools({
    transport: server.handle,
    clock: systemClock,
    random: seededRandom(2),
    signal: stop.signal,
  });
  activator = createActivator({
    launch: async ({ environment }) => ({
      command: process.execPath,
      args: [fixture],
      cwd: import.meta.dirname,
      environment,
    }),
    onEvent: (name, event) => controller.observe(name, event),
  });
  controller = startServingController(tools, activator);
}

async function close(): Promise<void> {
  stop.abort();
  await activator.close(0);
}

beforeEach(async () => {
  open();
  const { client } = tools;
  if (!(await client.get(CustomResourceDefinition, undefined, serviceDefinition.metadata.name)))
    await client.create(CustomResourceDefinition as Kind, serviceDefinition as unknown as KubernetesObject);
});
afterEach(async () => {
  await tools.client.delete(KnativeService, "default", "tester");
  await close();
});

const templateOf = (behaviour: object, more: object = {}) => ({
  spec: {
    containers: [{ image: "tester", env: Object.entries(behaviour).map(([name, value]) => ({ name, value })) }],
    ...more,
  },
});

async function create(behaviour: object): Promise<void> {
  const metadata = { name: "tester", namespace: "default" } as KubernetesObject["metadata"];
  const { apiVersion, kind } = KnativeService;
  await tools.client.create<KubernetesObject>(KnativeService, {
    apiVersion,
    kind,
    metadata,
    spec: { template: templateOf(behaviour) },
  });
}

const edit = (template: object) =>
  tools.client.patch(KnativeService, "default", "tester", "merge", { spec: { template } });

/** The status once the Service is, or is not, ready for a reason: `Ready`, `RevisionFailed`, ... */
function statusWhen(
  wanted: string,
  revision: string,
  holds: (status: ServiceStatus) => boolean = () => true,
): Promise<ServiceStatus> {
  const reached = Promise.withResolvers<ServiceStatus>();
  const services = tools.reflections.of<KubernetesObject & { status?: ServiceStatus }>(KnativeService);
  services.on((change, { status }) => {
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    const shown = ready?.status === "True" ? "Ready" : ready?.reason;
    const isNewest = status?.latestCreatedRevisionName === revision;
    if (change !== "delete" && status && shown === wanted && isNewest && holds(status)) reached.resolve(status);
  });
  return reached.promise;
}

const ask = async () => (await activator.send(url, { headers: {}, body: "version" })).body;

test("a Service is ready at once, and its function comes with the first request", async () => {
  await create({ VERSION: "1" });
  const status = await statusWhen("Ready", "tester-00001");
  expect(status).toMatchObject({
    url,
    address: { url },
    latestReadyRevisionName: "tester-00001",
    traffic: [{ revisionName: "tester-00001", latestRevision: true, percent: 100 }],
    conditions: [
      { type: "ConfigurationsReady", status: "True" },
      { type: "Ready", status: "True" },
      { type: "RoutesReady", status: "True" },
    ],
  });
  expect(activator.processes()).toBe(0);
  expect(await ask()).toBe("1");
  expect(controller.addressOf("default", "tester")).toBe(url);
  expect(controller.addressOf("default", "nobody")).toBeUndefined();
});

test("an edit of the template is a new revision; an edit of anything else is none", async () => {
  await create({ VERSION: "1" });
  await statusWhen("Ready", "tester-00001");
  await tools.client.patch(KnativeService, "default", "tester", "merge", { metadata: { labels: { team: "storage" } } });
  await edit(templateOf({ VERSION: "2" }));
  const status = await statusWhen("Ready", "tester-00002");
  expect(status.latestReadyRevisionName).toBe("tester-00002");
  expect(await ask()).toBe("2");
});

test("a revision that does not come up leaves the traffic where it is, and says why", async () => {
  await create({ VERSION: "1" });
  await statusWhen("Ready", "tester-00001");
  await edit(templateOf({ BEHAVIOUR: "broken" }));
  const status = await statusWhen("RevisionFailed", "tester-00002");
  expect(status.latestReadyRevisionName).toBe("tester-00001");
  expect(status.conditions?.find(({ type }) => type === "Ready")?.message).toContain("This fixture is broken.");
  expect(status.conditions?.find(({ type }) => type === "RoutesReady")?.status).toBe("True");
  expect(await ask()).toBe("1");
  await edit(templateOf({ VERSION: "3" }));
  await statusWhen("Ready", "tester-00003");
  expect(await ask()).toBe("3");
});

test("a first revision that does not come up is found with its first request", async () => {
  await create({ BEHAVIOUR: "broken" });
  await statusWhen("Ready", "tester-00001");
  expect((await activator.send(url, { headers: {}, body: "version" })).status).toBe(503);
  await statusWhen("RevisionFailed", "tester-00001");
});

test("what cannot be obeyed is refused in the status and changes nothing", async () => {
  await create({ VERSION: "1" });
  await statusWhen("Ready", "tester-00001");
  await edit(templateOf({ VERSION: "2" }, { dnsPolicy: "None" }));
  const status = await statusWhen("NotObeyed", "tester-00001");
  expect(status.conditions?.find(({ type }) => type === "Ready")?.message).toBe(
    "Service default/tester: spec.template.spec.dnsPolicy is not obeyed.",
  );
  expect(await ask()).toBe("1");
});

describe("traffic", () => {
  const spec = (change: object) => tools.client.patch(KnativeService, "default", "tester", "merge", { spec: change });

  test("to a revision that is not there goes nowhere, and says so until it comes", async () => {
    await create({ VERSION: "1" });
    await statusWhen("Ready", "tester-00001");
    await spec({ traffic: [{ revisionName: "tester-b", percent: 100 }] });
    const { conditions } = await statusWhen("RevisionMissing", "tester-00001");
    expect(conditions?.find(({ type }) => type === "RoutesReady")?.message).toBe(
      'Revision "tester-b" referenced in traffic not found.',
    );
    expect(await ask()).toBe("1");
    await spec({ template: { metadata: { name: "tester-b" }, ...templateOf({ VERSION: "2" }) } });
    await statusWhen("Ready", "tester-b");
    expect(await ask()).toBe("2");
  });

  test("a named template changes only together with its name, as Knative's webhook wants it", async () => {
    const named = (name: string, VERSION: string) => ({ template: { metadata: { name }, ...templateOf({ VERSION }) } });
    await create({ VERSION: "1" });
    await spec(named("tester-b", "2"));
    await statusWhen("Ready", "tester-b");
    await spec(named("tester-b", "3"));
    await statusWhen("NotObeyed", "tester-b");
    expect(await ask()).toBe("2");
    await spec(named("tester-b", "2"));
    await statusWhen("Ready", "tester-b");
    await spec({ template: { metadata: null, ...templateOf({ VERSION: "4" }) } });
    await expect.poll(ask, patient).toBe("4");
  });

  test("that is no whole is refused, and obeyed once it is one", async () => {
    await create({ VERSION: "1" });
    await statusWhen("Ready", "tester-00001");
    await spec({ traffic: [{ percent: 99 }] });
    await statusWhen("NotObeyed", "tester-00001");
    expect(await ask()).toBe("1");
    await spec({ traffic: [{ percent: 100 }] });
    await statusWhen("Ready", "tester-00001");
  });
});

test("a deleted Service is gone; one of its name begins again", async () => {
  await create({ VERSION: "1" });
  await statusWhen("Ready", "tester-00001");
  await tools.client.delete(KnativeService, "default", "tester");
  await create({ VERSION: "2" });
  await statusWhen("Ready", "tester-00001");
  expect(await ask()).toBe("2");
});
