import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { isLinstorError } from "../../../functions/satellite/lib/linstor/answer.ts";
import type { Linstor } from "../../../functions/satellite/lib/linstor/client.ts";
import { linstor } from "../../../functions/satellite/lib/linstor/system.ts";
import { createLinstor } from "../../../local/linstor/linstor.ts";
import { outcomeOf } from "../../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { type Clock, systemClock } from "../../../shared/clock.ts";
import { atOneRoot } from "../../../shared/system/testing/at-one-root.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";

/**
 * What a controller does with nodes whose satellites are not started: held against the stand-in and, where
 * `LINSTOR_URL` names one, against a real controller, in which nodes of these names are created and given up.
 */
interface Target {
  transport: SystemTransport;
  clock: Clock;
  /** Lets time go on until a call is answered. */
  answered<T>(call: Promise<T>): Promise<T>;
}

function standIn(): Target {
  const clock = virtualClock();
  const { transport } = createLinstor({ clock, random: seededRandom(5) });
  return {
    transport,
    clock,
    answered: (call) => outcomeOf(clock, call, 60_000),
  };
}

const url = process.env.LINSTOR_URL;

function controller(): Target {
  const transport: SystemTransport = async ({ method, path, headers, body, signal }) => {
    const init = {
      method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    };
    const response = await fetch(new URL(path, url), init as RequestInit);
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  };
  return { transport, clock: systemClock, answered: (call) => call };
}

const targets: [string, boolean, () => Target][] = [
  ["the stand-in", true, standIn],
  [
    url ? "the controller of LINSTOR_URL" : "a real controller: skipped, because LINSTOR_URL names none",
    Boolean(url),
    controller,
  ],
];

describe.each(targets)("%s", (_name, there, open) => {
  const node = "holdfast-contract-1";
  // From the range for documentation (RFC 5737): no host answers there.
  const address = { name: "default", address: "192.0.2.1", port: 3366, encryption: "Plain" } as const;
  let answered: Target["answered"];
  let client: Linstor;

  beforeAll(() => {
    if (!there) return;
    const target = open();
    answered = target.answered;
    const settings = linstor.settings.parse({ linstorAllowHttp: "in-cluster" });
    const { transport, clock } = target;
    const tools = { ...atOneRoot(transport), clock, settings, credential: async () => undefined };
    client = linstor.connect(tools).at(undefined);
  });
  afterAll(async () => {
    if (there) await answered(client.nodes.lose(node)).catch(() => {});
  });

  /** Of what a real one says beside its warnings our client reads nothing, and the stand-in says nothing. */
  const warningsOf = async (call: Promise<readonly { severity: string; code: number }[]>) =>
    (await answered(call)).flatMap(({ severity, code }) => (severity === "warning" ? [code] : []));
  const refusal = (call: Promise<unknown>) =>
    answered(call).then(
      () => expect.unreachable(),
      (error) => error,
    );

  // One after the other: each begins where the one before has ended.
  test.runIf(there)("a node whose satellite does not answer is registered, and OFFLINE", async () => {
    expect(await warningsOf(client.nodes.create(node, address))).toEqual([1002]);
    const listed = await answered(client.nodes.get(node.toUpperCase()));
    expect(listed).toMatchObject({ name: node, type: "SATELLITE", flags: [], connection: "OFFLINE" });
    expect(listed?.interfaces).toEqual([
      { name: "default", address: "192.0.2.1", port: 3366, encryption: "PLAIN", active: true },
    ]);
  });
  test.runIf(there)("the same name in another case is the same node", async () => {
    const again = await refusal(client.nodes.create(node.toUpperCase(), { ...address, address: "192.0.2.2" }));
    expect([again.status, isLinstorError(again, 500)]).toEqual([500, true]);
  });
  test.runIf(there)("properties are set and removed, also those that are not there; others are refused", async () => {
    await answered(client.nodes.modify(node, { set: { "Aux/piraeus.io/zone": "a", AutoplaceTarget: "false" } }));
    await answered(client.nodes.modify(node, { remove: ["AutoplaceTarget", "Aux/absent"] }));
    expect((await answered(client.nodes.get(node)))?.props).toMatchObject({ "Aux/piraeus.io/zone": "a" });
    expect((await answered(client.nodes.get(node)))?.props).not.toHaveProperty("AutoplaceTarget");
    const refused = await refusal(client.nodes.modify(node, { set: { NoSuchKey: "1" } }));
    expect([refused.failure, isLinstorError(refused, 213)]).toEqual(["refused", true]);
  });
  test.runIf(there)("an address is changed", async () => {
    await answered(client.nodes.setAddress(node, { ...address, address: "192.0.2.9" }));
    expect((await answered(client.nodes.get(node)))?.interfaces[0]?.address).toBe("192.0.2.9");
  });
  test.runIf(there)("a pool of an offline node is refused", async () => {
    const create = client.pools.create(node, "pool1", "FILE_THIN", { "StorDriver/StorPoolName": "/srv" });
    expect(isLinstorError(await refusal(create), 989)).toBe(true);
    expect((await answered(client.pools.onNode(node)))?.map(({ provider }) => provider)).toEqual(["DISKLESS"]);
  });
  test.runIf(there)("an empty node is evacuated without a word, twice, and restored once", async () => {
    expect(await warningsOf(client.nodes.evacuate(node))).toEqual([]);
    expect(await warningsOf(client.nodes.evacuate(node))).toEqual([]);
    expect((await answered(client.nodes.get(node)))?.flags).toEqual(["EVACUATE"]);
    expect(await warningsOf(client.nodes.restore(node))).toEqual([]);
    const again = await refusal(client.nodes.restore(node));
    expect([again.status, again.entries[0].code]).toEqual([500, 0]);
  });
  test.runIf(there)("it has no resources and no snapshots", async () => {
    expect(await answered(client.resources.onNode(node))).toEqual([]);
    expect(await answered(client.snapshots.onNode(node))).toEqual([]);
  });
  test.runIf(there)("it is given up, and then it is not there", async () => {
    expect(await warningsOf(client.nodes.lose(node))).toEqual([]);
    expect(await answered(client.nodes.get(node))).toBeUndefined();
    expect(await answered(client.resources.onNode(node))).toBeUndefined();
    expect(await answered(client.snapshots.onNode(node))).toEqual([]);
    expect(await answered(client.pools.onNode(node))).toBeUndefined();
    expect(await warningsOf(client.nodes.lose(node))).toEqual([3000]);
    expect(await warningsOf(client.nodes.delete(node))).toEqual([3000]);
    for (const command of ["evacuate", "restore"] as const)
      expect(isLinstorError(await refusal(client.nodes[command](node)), 300)).toBe(true);
  });
});
