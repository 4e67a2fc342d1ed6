import { expect, test } from "vitest";
import { seededRandom } from "../../../../eventing/random.ts";
import { createOpenStack } from "../../../../local/openstack/openstack.ts";
import { outcomeOf } from "../../../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../../../local/time/testing/virtual-clock.ts";
import { readSettings } from "../../../../shared/settings.ts";
import type { SystemRequest, SystemResponse } from "../../../../shared/system/transport.ts";
import { l3 } from "./neutron.ts";
import { openstack } from "./system.ts";

type Answer = (request: SystemRequest, root: string) => Partial<SystemResponse> | undefined;

/** A client of the stand-in, between which `answer` may answer itself. */
function open(
  environment: Record<string, string> = {},
  files: Record<string, string> = {},
  answer: Answer = () => undefined,
  /** How far the client's clock is ahead of the cloud's, in milliseconds. */
  ahead = 0,
) {
  const clock = virtualClock();
  const own = { ...clock, now: () => clock.now() + ahead };
  const standIn = createOpenStack({ clock, random: seededRandom(1), hosts: ["node-a", "node-b"], password: "secret" });
  const seen: string[] = [];
  const transportTo = (root: string) => async (request: SystemRequest) => {
    seen.push(`${request.method} ${root}${request.path}`);
    const given = answer(request, root);
    return given ? { status: 200, headers: {}, body: "", ...given } : standIn.transportTo(root)(request);
  };
  const settings = readSettings(openstack.settings, { OS_AUTH_URL: standIn.authUrl, ...environment });
  const all: Record<string, string> = { password: "secret", ...files };
  const credential = async (name: string) => all[name];
  const { nova, neutron, ironic } = openstack.connect({
    transport: transportTo(""),
    transportTo,
    clock: own,
    settings,
    credential,
  });
  const ask = () => outcomeOf(clock, nova.service("node-a"), 600_000);
  const failure = () =>
    ask().then(
      (): never => expect.unreachable(),
      (error: Error) => error,
    );
  return { standIn, clock, nova, neutron, ironic, seen, ask, failure };
}

const logins = (seen: readonly string[]) => seen.filter((line) => line.endsWith("/auth/tokens")).length;
const entry = (more: object, auth: object = {}) =>
  JSON.stringify({
    clouds: {
      prod: {
        auth: {
          auth_url: "https://keystone.stand-in:5000",
          username: "admin",
          password: "secret",
          project_name: "admin",
          ...auth,
        },
        ...more,
      },
    },
  });

test.each([-90_000, 90_000])("the time is the cloud's where this machine's clock is %i ms ahead", async (ahead) => {
  const { clock, nova } = open({}, {}, undefined, ahead);
  const seen = await outcomeOf(clock, nova.now(), 600_000);
  // The answer of the login was on its way meanwhile.
  expect(Math.abs(seen - clock.now())).toBeLessThan(1000);
  const service = await outcomeOf(clock, nova.service("node-a"), 600_000);
  expect((await nova.now()) - (service?.reported ?? 0)).toBeLessThan(30_000);
});

test.each([
  ["was off, and is not about to change", {}, true],
  ["is being turned off", { target_power_state: "power off" }, false],
  ["Ironic could not reach", { last_error: "Failed to change power state: timeout" }, false],
])("whether a machine counts as off that %s", async (_, more, isOff) => {
  const body = JSON.stringify({ power_state: "power off", target_power_state: null, last_error: null, ...more });
  const { clock, ironic } = open({}, {}, ({ path }) => (path.endsWith("/states") ? { body } : undefined));
  expect(await outcomeOf(clock, ironic.power("node-a"), 600_000)).toMatchObject({ isOff });
});

const logsIn = async (environment: Record<string, string>, files: Record<string, string>) => {
  expect(await open(environment, files).ask()).toMatchObject({ host: "node-a", state: "up" });
};
test("logs in with an account and a password", () => logsIn({}, {}));
test("logs in with clouds.yaml, without /v3", () =>
  logsIn({ OS_CLOUD: "prod" }, { "clouds.yaml": entry({ interface: "internalURL", region_name: "RegionOne" }) }));
test("logs in with an application credential", () =>
  logsIn({ OS_APPLICATION_CREDENTIAL_ID: "holdfast" }, { password: "", "application-credential-secret": "secret" }));
test("logs in with an application credential in clouds.yaml", () =>
  logsIn(
    { OS_CLOUD: "prod" },
    {
      "clouds.yaml": entry(
        { auth_type: "v3applicationcredential" },
        { application_credential_id: "holdfast", application_credential_secret: "secret" },
      ),
    },
  ));

const refuses = async (
  environment: Record<string, string>,
  files: Record<string, string>,
  failure: string,
  message: RegExp,
) => {
  const { failure: fails } = open(environment, files);
  expect(await fails()).toMatchObject({ name: "SystemError", failure, message: expect.stringMatching(message) });
};
test("refuses no password, and says what to do", () =>
  refuses({}, { password: "" }, "unauthorized", /Put clouds.yaml or password into the Secret holdfast-openstack/));
test("refuses a wrong password, and says what to do", () =>
  refuses({}, { password: "wrong" }, "unauthorized", /does not accept the login .* requires authentication/));
test("refuses no clouds.yaml, and says what to do", () =>
  refuses({ OS_CLOUD: "prod" }, {}, "unauthorized", /there is no clouds.yaml/));
test("refuses a cloud that is not there, and says what to do", () =>
  refuses({ OS_CLOUD: "other" }, { "clouds.yaml": entry({}) }, "unauthorized", /has no cloud other/));
test("refuses no YAML, without showing it, and says what to do", () =>
  refuses({ OS_CLOUD: "prod" }, { "clouds.yaml": "password: [secret" }, "unauthorized", /^(?!.*\[secret).*is no YAML/));
test("refuses TLS that is not checked, and says what to do", () =>
  refuses({ OS_CLOUD: "prod" }, { "clouds.yaml": entry({ verify: false }) }, "refused", /ca.crt/));
test("refuses another way to log in, and says what to do", () =>
  refuses({ OS_CLOUD: "prod" }, { "clouds.yaml": entry({ auth_type: "v3oidcpassword" }) }, "refused", /Use password/));
test("refuses http, and says what to do", () =>
  refuses({ OS_AUTH_URL: "http://keystone.stand-in:5000" }, {}, "refused", /without TLS.*OPENSTACK_ALLOW_HTTP/));
test("refuses a region that is not there, and says what to do", () =>
  refuses({ OS_REGION_NAME: "RegionTwo" }, {}, "refused", /it has: public in RegionOne/));

test.each<[string, Partial<SystemResponse>, string, RegExp]>([
  ["a proxy's page", { body: "<html>504</html>" }, "unreachable", /is not OpenStack's: no JSON/],
  ["half an answer", { body: '{"services":[{"id":' }, "unreachable", /no JSON/],
  ["something else's JSON", { body: '{"services":[{"id":"1"}]}' }, "unreachable", /services.0.binary is wrong/],
  ["several versions to choose from", { status: 300, body: '{"choices":[]}' }, "refused", /redirects/],
  ["a redirect", { status: 302, headers: { location: "https://elsewhere/" } }, "refused", /elsewhere.*not sent there/],
  ["overload", { status: 429, headers: { "retry-after": "7" } }, "overloaded", /Holdfast asks again later/],
  ["a failure of its own", { status: 500, body: '{"computeFault":{"message":"Oops"}}' }, "unreachable", /500: Oops/],
  ["a 404 that is not Nova's", { status: 404, body: "no backend" }, "unreachable", /with 404/],
  ["a refusal", { status: 409, body: '{"conflictingRequest":{"message":"No."}}' }, "refused", /409: No\./],
])("%s is a failure that says what to look at", async (_, answer, failure, message) => {
  const { failure: fails } = open({}, {}, ({ path }) => (path.startsWith("/os-services") ? answer : undefined));
  expect(await fails()).toMatchObject({ system: "OpenStack", failure, message: expect.stringMatching(message) });
});

test("a Nova that is too old is refused before it is asked anything", async () => {
  const body = JSON.stringify({ version: { version: "2.42" } });
  const { failure, seen } = open({}, {}, ({ path }) => (path === "/" ? { body } : undefined));
  expect((await failure()).message).toContain("needs 2.53");
  expect(seen.some((line) => line.includes("os-services"))).toBe(false);
});

test("an endpoint of the catalog without TLS is refused, and the token not sent", async () => {
  const catalog = [{ type: "compute", endpoints: [{ interface: "public", region_id: "R", url: "http://nova/v2.1" }] }];
  const body = JSON.stringify({
    token: { issued_at: "2026-01-01T00:00:00Z", expires_at: "2030-01-01T00:00:00Z", catalog },
  });
  const { failure, seen } = open({}, {}, ({ path }) =>
    path === "/auth/tokens" ? { status: 201, headers: { "x-subject-token": "t" }, body } : undefined,
  );
  expect((await failure()).message).toContain("The compute endpoint of OpenStack's catalog is http://nova/v2.1");
  expect(seen).toHaveLength(1);
});

test("a token serves many requests, and is renewed before its end and when it is no longer good", async () => {
  const { standIn, clock, ask, seen } = open();
  for (let i = 0; i < 5; i++) await ask();
  expect(logins(seen)).toBe(1);
  standIn.expireTokens();
  expect(await ask()).toBeDefined();
  expect(logins(seen)).toBe(2);
  await clock.advance(3_550_000);
  await ask();
  expect(logins(seen)).toBe(3);
});

test("a token that is never good is unauthorized, after one more login", async () => {
  const { failure, seen } = open({}, {}, ({ path }) => (path === "/auth/tokens" ? undefined : { status: 401 }));
  expect(await failure()).toMatchObject({ failure: "unauthorized" });
  expect(logins(seen)).toBe(2);
});

test("servers and migrations are read page by page", async () => {
  const { standIn, clock, nova } = open({}, {}, ({ path }) => {
    expect(path.includes("/servers/detail") || path.includes("/os-migrations") ? path : "limit=500").toContain(
      "limit=500",
    );
    return undefined;
  });
  for (let i = 0; i < 501; i++) standIn.cloud.boot(`s${i}`, "node-a", "admin");
  await clock.advance(2000);
  expect(await outcomeOf(clock, nova.servers("node-a"), 60_000)).toHaveLength(501);
});

test("servers that are deleted and can be restored are listed as well", async () => {
  const { clock, nova, seen } = open();
  await outcomeOf(clock, nova.servers("node-a"), 60_000);
  expect(seen.some((line) => line.includes("/servers/detail?") && line.includes("soft_deleted=1"))).toBe(true);
});

test("a nova-compute whose cell does not answer is not known, and not absent", async () => {
  const body = JSON.stringify({ services: [{ binary: "nova-compute", host: "node-a", status: "UNKNOWN" }] });
  const { failure } = open({}, {}, ({ path }) => (path.startsWith("/os-services") ? { body } : undefined));
  expect(await failure()).toMatchObject({
    failure: "unreachable",
    message: expect.stringContaining("The Nova cell of"),
  });
});

test("agents are read page by page where the cloud limits an answer", async () => {
  const agent = (id: string) => ({ id, host: id, alive: true, admin_state_up: true });
  const { clock, neutron, seen } = open({}, {}, ({ path }) => {
    if (!path.includes("/agents?")) return undefined;
    const isSecond = path.includes("marker=first");
    const agents_links = isSecond ? [] : [{ rel: "next", href: "https://neutron.stand-in/agents?marker=first" }];
    return { body: JSON.stringify({ agents: [agent(isSecond ? "second" : "first")], agents_links }) };
  });
  const found = await outcomeOf(clock, neutron.agents(l3), 60_000);
  expect(found).toMatchObject([{ id: "first" }, { id: "second" }]);
  expect(seen.filter((line) => line.includes("/agents?"))).toHaveLength(2);
});

test.each([
  ["2.68", false],
  ["2.69", true],
])("whether a Nova of version %s names the services of a lost cell: %s", async (version, names) => {
  const { clock, nova } = open({}, {}, ({ path }) => {
    const body = JSON.stringify({ version: { version } });
    return path === "/" ? { body } : undefined;
  });
  expect(await outcomeOf(clock, nova.namesLostCells(), 60_000)).toBe(names);
});

test("a service of a lost cell, which Nova names without an id, is among the services", async () => {
  const body = JSON.stringify({ services: [{ binary: "nova-compute", host: "node-z", status: "UNKNOWN" }] });
  const { clock, nova } = open({}, {}, ({ path }) => (path === "/os-services" ? { body } : undefined));
  expect(await outcomeOf(clock, nova.services(), 60_000)).toMatchObject([{ host: "node-z", state: "unknown" }]);
});
