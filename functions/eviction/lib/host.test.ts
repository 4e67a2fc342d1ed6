import { expect, test } from "vitest";
import { SystemError } from "../../../shared/system/system-error.ts";
import { lookAtHost, otherCompute } from "./host.ts";
import type { ComputeService, Nova } from "./openstack/nova.ts";
import { aCompute, aHost, aMove, aRecord, aServer, aService, now } from "./testing/seen.ts";

const node = aCompute().object;
const empty = async () => [];
const novaWith = (...answers: readonly (ComputeService | undefined)[]) => {
  const services = [...answers];
  const service = async () => services.shift();
  return { servers: empty, migrations: empty, service, now: async () => now } as unknown as Nova;
};

test("a host is looked at only where its nova-compute is known before and after the lists", async () => {
  expect(await lookAtHost(novaWith(aService(), aService()), node, 3)).toMatchObject({ servers: [] });
  expect(await lookAtHost(novaWith(undefined, undefined), node, 3)).toBeUndefined();
});

test("an eviction goes on only with the nova-compute with which it began", () => {
  const other = (service: object) =>
    otherCompute(aCompute({ metadata: { annotations: aRecord(service) } }).object, aHost());
  expect([other({ service: "c1" }), other({})]).toEqual([undefined, undefined]);
  expect(other({ service: "c2" })).toContain("began with the nova-compute c2, but Nova now has c1 there");
});

const old = { type: "live-migration", status: "running", source: "x", target: "node-a", updated: now - 601_000 };
const elsewhere = aServer({ host: "z" });
test.each<[string, number, Parameters<typeof aMove>[0], ReturnType<typeof aServer> | undefined, object[]?]>([
  ["is over if its server rests on a third host", 0, {}, elsewhere],
  ["is over if its server rests on this host, as was listed", 0, {}, undefined, [aServer()]],
  ["comes if Nova has changed it in the last ten minutes", 1, { updated: now - 599_000 }, elsewhere],
  ["comes if Nova does not say when it changed it", 1, { updated: Number.NaN }, elsewhere],
  ["comes if its server is on the source", 1, {}, aServer({ host: "x" })],
  ["comes if its server has reached this host only after it was listed", 1, {}, aServer()],
  ["comes if Nova says no host of its server", 1, {}, aServer({ host: undefined })],
  ["comes if Nova does not know its server", 1, {}, undefined],
  ["comes if a task works on its server", 1, {}, aServer({ host: "z", task: "rebuilding" })],
  ...["MIGRATING", "RESIZE", "VERIFY_RESIZE"].map((status) => {
    const seen = aServer({ host: "z", status });
    return [`comes if its server is ${status}`, 1, {}, seen] as [string, number, object, typeof seen];
  }),
])("a move to the host that is not over %s", async (_, length, more, server, servers = []) => {
  const answers = { server: async () => server, servers: async () => servers };
  const nova = {
    ...novaWith(aService(), aService()),
    ...answers,
    migrations: async () => [aMove({ ...old, ...more })],
  };
  expect((await lookAtHost(nova as unknown as Nova, node, 3))?.arrivals).toHaveLength(length);
});

test("a move to the host counts as coming if the cell of its server does not answer", async () => {
  const silent = new SystemError("OpenStack", "unreachable", "The cell of server s1 does not answer.");
  const nova = {
    ...novaWith(aService(), aService()),
    migrations: async () => [aMove(old)],
    server: () => Promise.reject(silent),
  };
  expect((await lookAtHost(nova as unknown as Nova, node, 3))?.arrivals).toHaveLength(1);
});

test("a move to the host is over if a later evacuation of its server is", async () => {
  const all = [aMove({ ...old, updated: now }), aMove({ ...old, id: 12, type: "evacuation", status: "done" })];
  const nova = { ...novaWith(aService(), aService()), migrations: async () => all };
  expect((await lookAtHost(nova as unknown as Nova, node, 3))?.arrivals).toEqual([]);
});

test.each([
  ["comes back", undefined, aService()],
  ["goes away", aService(), undefined],
])("a cell that %s between two reads leaves the host unknown, and not empty", async (_, before, after) => {
  await expect(lookAtHost(novaWith(before, after), node, 3)).rejects.toMatchObject({
    failure: "unreachable",
  });
});
