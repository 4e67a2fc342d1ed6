import { afterEach, describe, expect, test } from "vitest";
import { dhcp, l3, type Service } from "../../../functions/eviction/lib/openstack/neutron.ts";
import { type Harness, harnessFor } from "./harness.ts";
import type { OpenStackUnderTest } from "./openstack-under-test.ts";

const live = { "os-migrateLive": { host: null, block_migration: "auto" } };
const cold = { migrate: null };
const confirm = { confirmResize: null };

/**
 * What evictions load on of Keystone and Nova, each point once. The real one is right by definition: a release Zed with
 * a fake hypervisor.
 */
export function openstackContract(open: () => OpenStackUnderTest): void {
  let harness: Harness | undefined;
  const at = () => {
    harness ??= harnessFor(open());
    return harness;
  };
  const [here, there] = [() => at().hosts[0], () => at().hosts[1]];
  const serviceOf = async (host: string) => {
    const service = await at().nova().service(host);
    if (!service) throw new Error(`There is no nova-compute on ${host}.`);
    return service;
  };
  const newestMove = async (server: string) =>
    (await at().nova().migrations(here())).filter((move) => move.server === server).toSorted((a, b) => b.id - a.id)[0];
  const moveReaches = (server: string, status: string, within?: number) =>
    at().until(`its migration is ${status}`, async () => (await newestMove(server))?.status === status, within);
  const stopped = async (host: string) => {
    const id = await at().boot(host);
    await at().act(id, { "os-stop": null });
    await at().reaches(id, "SHUTOFF");
    return id;
  };

  afterEach(() => at().cleanUp());

  describe("who is let in", () => {
    test("a token that Keystone has not given is refused", async () => {
      expect((await at().send("GET", "/os-services", undefined, { token: "none" })).status).toBe(401);
    });

    test("a plain member may not see services, and all projects' servers", async () => {
      const who = "demo";
      expect((await at().send("GET", "/os-services", undefined, { who })).status).toBe(403);
      expect((await at().send("GET", `/servers/detail?all_tenants=1&host=${here()}`, undefined, { who })).status).toBe(
        403,
      );
      await expect(at().nova("demo").service(here())).rejects.toMatchObject({ failure: "unauthorized" });
      await expect(at().nova("demo").servers(here())).rejects.toMatchObject({ failure: "unauthorized" });
    });

    test("the filter by host is ignored for a plain member, and the host left out", async () => {
      const who = "demo";
      const id = await at().boot(here());
      expect((await at().send("GET", `/servers/${id}`, undefined, { who })).status).toBe(404);
      const server = { ...at().under.server, name: "member", networks: "none" };
      const made = (await at().send("POST", "/servers", { server }, { who })).body.server.id;
      const { status, body } = await at().send("GET", "/servers/detail?host=no-such-host", undefined, { who });
      await at().send("DELETE", `/servers/${made}`);
      expect([status, body.servers.map((each: { id: string }) => each.id)]).toEqual([200, [made]]);
      expect(body.servers[0]).not.toHaveProperty("OS-EXT-SRV-ATTR:host");
    });
  });

  describe("services", () => {
    test("the API says which versions it has, and refuses a newer one", async () => {
      const { body } = await at().send("GET", "/", undefined, { version: "2.1" });
      expect(body.version).toMatchObject({ id: "v2.1", version: "2.93", min_version: "2.1" });
      const { status, said } = await at().send("GET", "/os-services", undefined, { version: "2.99" });
      expect([status, said]).toEqual([
        406,
        "Version 2.99 is not supported by the API. Minimum is 2.1 and maximum is 2.93.",
      ]);
    });

    test("a host has one, an unknown host none, and an unknown filter is refused", async () => {
      expect(await serviceOf(here())).toMatchObject({ host: here(), isEnabled: true, state: "up" });
      expect(Math.abs((await serviceOf(here())).reported - at().under.clock.now())).toBeLessThan(20_000);
      expect(await at().nova().service("no-such-host")).toBeUndefined();
      const { status, said } = await at().send("GET", "/os-services?bogus=1");
      expect([status, said]).toEqual([400, expect.stringContaining("('bogus' was unexpected)")]);
    });

    test("disabling keeps the reason, twice; without a reason it erases the one that another has given", async () => {
      const { id } = await serviceOf(here());
      for (const _ of [1, 2]) await at().nova().disable(id, "ours");
      expect(await serviceOf(here())).toMatchObject({ isEnabled: false, disabledReason: "ours" });
      expect((await at().send("PUT", `/os-services/${id}`, { status: "disabled" })).status).toBe(200);
      expect(await serviceOf(here())).toMatchObject({ isEnabled: false, disabledReason: undefined });
      await at().nova().enable(id);
      expect(await serviceOf(here())).toMatchObject({ isEnabled: true });
    });

    test("enabling with a reason is refused, and so is an unknown service", async () => {
      const { id } = await serviceOf(here());
      const { status, said } = await at().send("PUT", `/os-services/${id}`, {
        status: "enabled",
        disabled_reason: "x",
      });
      expect([status, said]).toEqual([400, "Specifying 'disabled_reason' with status 'enabled' is invalid."]);
      const unknown = "00000000-0000-4000-8000-000000000000";
      expect((await at().send("PUT", `/os-services/${unknown}`, { status: "enabled" })).status).toBe(404);
    });

    test("a disabled host gets no new server", async () => {
      await at()
        .nova()
        .disable((await serviceOf(here())).id, "ours");
      const server = { ...at().under.server, name: "late", host: here(), networks: "none" };
      const { body } = await at().send("POST", "/servers", { server });
      const failed = await at().reaches(body.server.id, "ERROR");
      await at().send("DELETE", `/servers/${failed.id}`);
      expect(failed).toMatchObject({ host: undefined, fault: expect.stringContaining("No valid host was found.") });
    });
  });

  describe("a live move", () => {
    test("from a disabled host leads through MIGRATING to the other host, and cannot be asked for twice", async () => {
      const id = await at().boot(here());
      await at()
        .nova()
        .disable((await serviceOf(here())).id, "ours");
      expect((await at().act(id, live)).status).toBe(202);
      expect(await at().server(id)).toMatchObject({ status: "MIGRATING", task: "migrating", host: here() });
      for (const action of [live, cold, { "os-stop": null }]) {
        const { status, said } = await at().act(id, action);
        expect([status, said]).toEqual([409, expect.stringContaining("while it is in task_state migrating")]);
      }
      expect(await at().reaches(id, "ACTIVE")).toMatchObject({ host: there() });
      // Server and migration disagree for a moment: neither alone says that the move is over.
      await moveReaches(id, "completed");
      const move = await newestMove(id);
      expect(move).toMatchObject({ type: "live-migration", source: here(), target: there() });
      // By its host a migration is found on both sides.
      expect(await at().nova().migrations(there())).toContainEqual(move);
      expect((await at().nova().servers(here())).map((each) => each.id)).not.toContain(id);
    });

    test("of two at once from one host one is queued, and both arrive", async () => {
      const ids = [await at().boot(here()), await at().boot(here())];
      for (const id of ids) expect((await at().act(id, live)).status).toBe(202);
      await at().until("one is queued", async () =>
        (await at().nova().migrations(here())).some(
          ({ server, status }) => ids.includes(server) && status === "queued",
        ),
      );
      for (const id of ids) expect(await at().reaches(id, "ACTIVE")).toMatchObject({ host: there() });
      for (const id of ids) await moveReaches(id, "completed");
    });

    test("without a host that takes it leaves the server as it was, and says why elsewhere", async () => {
      const id = await at().boot(here());
      await at()
        .nova()
        .disable((await serviceOf(there())).id, "ours");
      expect((await at().act(id, live)).status).toBe(202);
      await moveReaches(id, "error");
      expect(await at().reaches(id, "ACTIVE")).toMatchObject({ host: here(), fault: undefined });
      expect(await at().nova().lastFailure(id)).toContain("No valid host was found.");
    });

    test("of a server that is off is refused", async () => {
      const id = await stopped(here());
      const { status, said } = await at().act(id, live);
      expect([status, said]).toEqual([409, expect.stringContaining("while it is in vm_state stopped")]);
    });
  });

  describe("a cold move", () => {
    test("stands at VERIFY_RESIZE on the other host, is found by its source, and is confirmed once", async () => {
      const id = await stopped(here());
      expect(await at().act(id, confirm)).toMatchObject({
        status: 409,
        said: expect.stringContaining("while it is in vm_state stopped"),
      });
      expect((await at().act(id, cold)).status).toBe(202);
      expect(await at().server(id)).toMatchObject({ status: "RESIZE", task: "resize_prep" });
      expect(await at().act(id, cold)).toMatchObject({ status: 409 });
      expect(await at().reaches(id, "VERIFY_RESIZE")).toMatchObject({ host: there() });
      expect((await at().nova().servers(here())).map((each) => each.id)).not.toContain(id);
      expect(await newestMove(id)).toMatchObject({ type: "migration", status: "finished", target: there() });
      expect(await at().act(id, cold)).toMatchObject({
        status: 409,
        said: expect.stringContaining("while it is in vm_state resized"),
      });
      expect((await at().act(id, confirm)).status).toBe(204);
      expect(await at().act(id, confirm)).toMatchObject({ status: 400, said: "Instance has not been resized." });
      expect(await at().reaches(id, "SHUTOFF")).toMatchObject({ host: there() });
      await moveReaches(id, "confirmed");
      expect((await at().act(id, confirm)).status).toBe(409);
    });

    test("without a host that takes it leaves the server as it was", async () => {
      const id = await stopped(here());
      await at()
        .nova()
        .disable((await serviceOf(there())).id, "ours");
      expect((await at().act(id, cold)).status).toBe(202);
      await moveReaches(id, "error");
      expect(await at().reaches(id, "SHUTOFF")).toMatchObject({ host: here() });
      expect(await at().nova().lastFailure(id)).toContain("No valid host was found.");
    });
  });

  describe("a host that stops", () => {
    const isDown = (host: string) =>
      at().until(`${host} is down`, async () => (await serviceOf(host)).state === "down", 120);

    test("counts as up until its last report is old enough; then a live move is taken, and comes to nothing", async ({
      skip,
    }) => {
      const { control } = at().under;
      if (!control) return skip("nothing can be stopped");
      const id = await at().boot(here());
      await control.stop(here());
      expect((await serviceOf(here())).state).toBe("up");
      await isDown(here());
      expect(await at().server(id)).toMatchObject({ status: "ACTIVE", host: here() });
      expect((await at().act(id, live)).status).toBe(202);
      await moveReaches(id, "error");
      expect(await at().reaches(id, "ACTIVE")).toMatchObject({ host: here() });
    });

    test("takes a cold move while it still counts as up, and hangs in it", async ({ skip }) => {
      const { control } = at().under;
      if (!control) return skip("nothing can be stopped");
      const id = await stopped(here());
      await control.stop(here());
      expect((await at().act(id, cold)).status).toBe(202);
      await isDown(here());
      expect(await at().server(id)).toMatchObject({ status: "RESIZE", task: "resize_prep" });
      expect(await newestMove(id)).toMatchObject({ status: "pre-migrating" });
      expect((await at().act(await stopped(there()), cold)).status).toBe(202);
    });

    test("takes no confirmation of a move from it", async ({ skip }) => {
      const { control } = at().under;
      if (!control) return skip("nothing can be stopped");
      const id = await stopped(here());
      await at().act(id, cold);
      await at().reaches(id, "VERIFY_RESIZE");
      await control.stop(here());
      await isDown(here());
      expect(await at().act(id, confirm)).toMatchObject({ status: 409, said: "Service is unavailable at this time." });
    });

    test("as destination of a live move leaves it `completed` and the server MIGRATING until it is back", async ({
      skip,
    }) => {
      const { control } = at().under;
      if (!control) return skip("nothing can be stopped");
      const id = await at().boot(here());
      await at().act(id, live);
      await moveReaches(id, "running");
      await control.stop(there());
      await moveReaches(id, "completed", 120);
      expect(await at().server(id)).toMatchObject({ status: "MIGRATING", host: here() });
      await control.start(there());
      expect(await at().reaches(id, "ACTIVE")).toMatchObject({ host: there() });
    });

    test("as source of a live move leaves it `running` for ever", async ({ skip }) => {
      const { control } = at().under;
      if (!control) return skip("nothing can be stopped");
      const id = await at().boot(here());
      await at().act(id, live);
      await moveReaches(id, "running");
      await control.stop(here());
      await isDown(here());
      await at().pass(10);
      expect(await at().server(id)).toMatchObject({ status: "MIGRATING", host: here() });
      expect(await newestMove(id)).toMatchObject({ status: "running" });
    });
  });

  describe("agents of Neutron", () => {
    const agentOn = async (service: Service, host: string) => {
      const found = (await at().neutron().agents(service)).find((each) => each.host === host);
      if (!found) throw new Error(`There is no ${service.agentType} on ${host}.`);
      return found;
    };
    const hostsOf = async (service: Service, id: string) =>
      (await at().neutron().agentsOf(service, id))?.map(({ host }) => host).toSorted();
    const send = (method: "POST" | "PUT" | "DELETE", path: string, body?: object) =>
      at().send(method, path, body, { service: "network" });
    const onHere = async () => {
      const id = await at().make("router");
      const { id: agent } = await agentOn(l3, here());
      await at().neutron().add(l3, agent, id);
      expect(await hostsOf(l3, id)).toEqual([here()]);
      return { id, agent, target: (await agentOn(l3, there())).id };
    };

    test("are shown to an administrator, and none to a plain member, who may not change them", async () => {
      const agent = await agentOn(l3, here());
      expect(agent).toMatchObject({ isAlive: true, isEnabled: true, description: "", isCentral: true });
      expect(await at().neutron("demo").agents(l3)).toEqual([]);
      const body = { agent: { admin_state_up: false } };
      const options = { who: "demo", service: "network" } as const;
      expect((await at().send("PUT", `/agents/${agent.id}`, body, options)).status).toBe(404);
    });

    test("one that is disabled keeps what it serves and its description, and gets nothing more", async () => {
      const { id, agent } = await onHere();
      for (const _ of [1, 2]) await at().neutron().enable(agent, false, "ours");
      expect(await agentOn(l3, here())).toMatchObject({ isEnabled: false, description: "ours" });
      expect(await hostsOf(l3, id)).toEqual([here()]);
      const other = await at().make("router");
      const { status, said } = await send("POST", `/agents/${agent}/l3-routers`, { router_id: other });
      expect([status, said]).toEqual([404, expect.stringContaining("is not a L3 Agent or has been disabled")]);
      await at().neutron().enable(agent, true, "");
      expect(await agentOn(l3, here())).toMatchObject({ isEnabled: true, description: "" });
    });

    test("a router is on one L3 agent: it is taken from it first, and both may be asked for twice", async () => {
      const { id, agent, target } = await onHere();
      expect((await send("POST", `/agents/${target}/l3-routers`, { router_id: id })).status).toBe(409);
      await at().neutron().add(l3, target, id);
      expect(await hostsOf(l3, id)).toEqual([here()]);
      for (const _ of [1, 2]) expect((await send("DELETE", `/agents/${agent}/l3-routers/${id}`)).status).toBe(204);
      expect(await hostsOf(l3, id)).toEqual([]);
      for (const _ of [1, 2])
        expect((await send("POST", `/agents/${target}/l3-routers`, { router_id: id })).status).toBe(201);
      expect(await hostsOf(l3, id)).toEqual([there()]);
      expect((await at().neutron().served(l3, target)).map((each) => each.id)).toContain(id);
      expect((await at().neutron().served(l3, agent)).map((each) => each.id)).not.toContain(id);
    });

    test("a router that no L3 agent has is placed by any update of it", async () => {
      const { id, agent } = await onHere();
      await at().neutron().remove(l3, agent, id);
      expect(await hostsOf(l3, id)).toEqual([]);
      await send("PUT", `/routers/${id}`, { router: { description: "other" } });
      await at().until("it is on an agent", async () => ((await hostsOf(l3, id)) ?? []).length === 1);
    });

    test("a network is on several DHCP agents; to add or remove it twice is refused, and no failure", async () => {
      const id = await at().make("network");
      const [one, other] = [await agentOn(dhcp, here()), await agentOn(dhcp, there())];
      await at().neutron().add(dhcp, one.id, id);
      expect((await send("POST", `/agents/${other.id}/dhcp-networks`, { network_id: id })).status).toBe(201);
      expect(await hostsOf(dhcp, id)).toEqual([here(), there()].toSorted());
      expect((await send("POST", `/agents/${other.id}/dhcp-networks`, { network_id: id })).status).toBe(409);
      await at().neutron().add(dhcp, other.id, id);
      expect((await send("DELETE", `/agents/${one.id}/dhcp-networks/${id}`)).status).toBe(204);
      expect((await send("DELETE", `/agents/${one.id}/dhcp-networks/${id}`)).status).toBe(409);
      await at().neutron().remove(dhcp, one.id, id);
      expect(await hostsOf(dhcp, id)).toEqual([there()]);
    });

    test("what is gone has no agents, and is served by none", async () => {
      const unknown = "00000000-0000-4000-8000-000000000000";
      expect(await at().neutron().agentsOf(l3, unknown)).toBeUndefined();
      await at()
        .neutron()
        .add(l3, (await agentOn(l3, here())).id, unknown);
      await at()
        .neutron()
        .remove(l3, (await agentOn(l3, here())).id, unknown);
    });

    const isDead = (service: Service, host: string) =>
      at().until(
        `the ${service.agentType} of ${host} is dead`,
        async () => !(await agentOn(service, host)).isAlive,
        120,
      );

    test("a dead L3 agent keeps its routers, and others get them when it is asked for", async ({ skip }) => {
      const { agents } = at().under;
      if (!agents) return skip("nothing can be stopped");
      const { id, agent, target } = await onHere();
      await agents(here(), "l3", false);
      await isDead(l3, here());
      expect(await hostsOf(l3, id)).toEqual([here()]);
      await at().neutron().remove(l3, agent, id);
      await at().neutron().add(l3, target, id);
      expect(await hostsOf(l3, id)).toEqual([there()]);
    });

    test("the networks of a dead DHCP agent come to another one by themselves", async ({ skip }) => {
      const { agents } = at().under;
      if (!agents) return skip("nothing can be stopped");
      const id = await at().make("network");
      await at()
        .neutron()
        .add(dhcp, (await agentOn(dhcp, here())).id, id);
      await agents(here(), "dhcp", false);
      await isDead(dhcp, here());
      await at().until("it is elsewhere", async () => (await hostsOf(dhcp, id))?.join() === there(), 120);
    });
  });

  describe("a host that is forced down", () => {
    const evacuate = { evacuate: {} };
    const forced = async () => {
      const { id } = await serviceOf(here());
      await at().nova().forceDown(id, "ours");
      return id;
    };

    test("is down at once and disabled with the reason, though it reports; its servers stay", async () => {
      const id = await at().boot(here());
      for (const _ of [1, 2]) await forced();
      const service = await serviceOf(here());
      expect(service).toMatchObject({ state: "down", isForcedDown: true, isEnabled: false, disabledReason: "ours" });
      expect(await at().server(id)).toMatchObject({ status: "ACTIVE", host: here() });
      const services = await at().nova().services();
      expect(services).toContainEqual(expect.objectContaining({ binary: "nova-scheduler", state: "up" }));
      await at().nova().endForcedDown(service.id);
      await at().until("it is up again", async () => (await serviceOf(here())).state === "up");
      // Disabled by others it stays so, with their reason.
      await at().nova().forceDown(service.id);
      expect(await serviceOf(here())).toMatchObject({ isForcedDown: true, disabledReason: "ours" });
    });

    test("has reported when it was changed, by Nova's word, though it is off", async ({ skip }) => {
      const { control } = at().under;
      if (!control) return skip("nothing can be stopped");
      await control.stop(here());
      const { reported } = await at().until("it is down", async () => {
        const service = await serviceOf(here());
        return service.state === "down" && service;
      });
      await forced();
      expect((await serviceOf(here())).reported).toBeGreaterThan(reported);
    });

    test("has its servers evacuated, once each, and is let up again only when nova-compute has started", async ({
      skip,
    }) => {
      const { control } = at().under;
      if (!control) return skip("nothing can be stopped");
      const running = await at().boot(here());
      const off = await stopped(here());
      expect(await at().act(running, evacuate)).toMatchObject({
        status: 400,
        said: expect.stringContaining("is still in use"),
      });
      await control.stop(here());
      const service = await forced();
      for (const id of [running, off]) expect((await at().act(id, evacuate)).status).toBe(200);
      for (const id of [running, off])
        expect(await newestMove(id)).toMatchObject({ type: "evacuation", source: here() });
      for (const id of [running, off]) await moveReaches(id, "done");
      await at().until("both are there", async () => (await at().nova().servers(here())).length === 0);
      expect(await at().reaches(running, "ACTIVE")).toMatchObject({ host: there() });
      expect(await at().reaches(off, "SHUTOFF")).toMatchObject({ host: there() });
      await expect(at().nova().endForcedDown(service)).rejects.toThrow("`done` evacuation migration records remain");
      await control.start(here());
      for (const id of [running, off]) await moveReaches(id, "completed");
      expect((await serviceOf(here())).state).toBe("down");
      await at().nova().endForcedDown(service);
    });

    test("has a server in ERROR evacuated, which is ACTIVE then, and none that is paused", async ({ skip }) => {
      if (!at().under.control) return skip("nothing can be stopped, so that the host stays forced down");
      const [broken, paused] = [await at().boot(here()), await at().boot(here())];
      await at().nova().setError(broken);
      await at().act(paused, { pause: null });
      await at().reaches(paused, "PAUSED");
      await forced();
      expect((await at().act(broken, evacuate)).status).toBe(200);
      // For a moment it is listed on the dead host still.
      await at().until("it is elsewhere", async () => (await at().server(broken)).host === there());
      expect(await at().reaches(broken, "ACTIVE")).toMatchObject({ host: there() });
      expect(await at().act(paused, evacuate)).toMatchObject({
        status: 409,
        said: expect.stringContaining("while it is in vm_state paused"),
      });
    });

    test("leaves a server in ERROR whose disk the other host does not see, and its host as well", async () => {
      const id = await at().boot(here(), { imageRef: at().under.server.imageRef ?? "image" });
      expect(await at().server(id)).toMatchObject({ hasLocalDisk: true });
      await forced();
      await at().nova().evacuate(id, true);
      await moveReaches(id, "failed");
      const fault = expect.stringContaining("Invalid state of instance files on shared storage");
      expect(await at().reaches(id, "ERROR")).toMatchObject({ host: here(), fault });
    });

    test("takes a second evacuation of a server, which ruins it", async ({ skip }) => {
      if (!at().under.control) return skip("nothing can be stopped, so that the host stays forced down");
      const id = await at().boot(here());
      await forced();
      for (const _ of [1, 2]) expect((await at().act(id, evacuate)).status).toBe(200);
      await at().pass(10);
      expect(await at().server(id)).toMatchObject({ status: "REBUILD", host: there() });
      const statuses = (await at().nova().migrations(here())).filter(({ server }) => server === id);
      expect(statuses.map(({ status }) => status).toSorted()).toEqual(["accepted", "failed"]);
    });
  });
}
