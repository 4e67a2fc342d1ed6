import { expect, test } from "vitest";
import { lookAtHost } from "./host.ts";
import type { ComputeService, Nova } from "./openstack/nova.ts";
import { aService, now } from "./testing/seen.ts";

const empty = async () => [];
const novaWith = (...answers: readonly (ComputeService | undefined)[]) => {
  const services = [...answers];
  const service = async () => services.shift();
  return { servers: empty, migrations: empty, service, now: async () => now } as unknown as Nova;
};

test("a host is looked at only where its nova-compute is known before and after the lists", async () => {
  expect(await lookAtHost(novaWith(aService(), aService()), "node-a", undefined, 3)).toMatchObject({ servers: [] });
  expect(await lookAtHost(novaWith(undefined, undefined), "node-a", undefined, 3)).toBeUndefined();
});

test.each([
  ["comes back", undefined, aService()],
  ["goes away", aService(), undefined],
])("a cell that %s between two reads leaves the host unknown, and not empty", async (_, before, after) => {
  await expect(lookAtHost(novaWith(before, after), "node-a", undefined, 3)).rejects.toMatchObject({
    failure: "unreachable",
  });
});
