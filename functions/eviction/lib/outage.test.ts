import { expect, test } from "vitest";
import { fencedKey } from "./names.ts";
import { downOf, fencingOf, gatesOf, isFenced, isProvenDown, type Suspected, verdictsOn } from "./outage.ts";
import { common } from "./settings.ts";
import { aCompute, aHost, aNode, aRecord, aService, now } from "./testing/seen.ts";

const minute = 60_000;
const at = (ago: number) => new Date(now - ago).toISOString();
const down = { since: at(6 * minute), reported: at(7 * minute), ready: at(7 * minute) };
const notReady = (more: object = {}) => {
  const condition = { type: "Ready", status: "Unknown", lastTransitionTime: down.ready, ...more };
  return { ...aNode("False"), status: { conditions: [condition] } };
};
const silent = aService({ state: "down", reported: now - 7 * minute });
const scheduler = aService({ binary: "nova-scheduler" });
const up = aService({ host: "node-b" });

interface Options {
  readonly service?: typeof silent;
  readonly node?: ReturnType<typeof aNode> | undefined;
  readonly record?: object;
  readonly annotations?: Record<string, string>;
  readonly outage?: Partial<Suspected["outage"]>;
}
function suspected(options: Options = {}): Suspected {
  const { service = silent, record = { down }, annotations = {}, outage } = options;
  const metadata = { annotations: { ...aRecord(record), ...annotations } };
  const node = "node" in options ? options.node : notReady();
  return {
    compute: aCompute({ metadata, node, wanted: "go" }),
    host: aHost({ service }),
    outage: { services: [service, up, scheduler], power: undefined, evacuated: [], ...outage },
    settings: common.parse({}),
  };
}

test("a host is down when both witnesses have said so for five minutes, with a scheduler and most others up", () => {
  expect(gatesOf(suspected()).map(({ holds }) => holds)).toEqual([true, true, true, true, true]);
  expect(isProvenDown(suspected())).toBe(true);
});

test.each<[string, Options, RegExp]>([
  ["nova-compute reports", { service: aService() }, /not met: nova-compute must be down \(it is up/],
  [
    "its cell does not answer",
    { service: { ...silent, state: "unknown" } },
    /not met: nova-compute must be down \(it is unknown/,
  ],
  [
    "others have forced nova-compute down, which reports",
    { service: { ...silent, isForcedDown: true, reported: now } },
    /not met: nova-compute must be down \(it is down/,
  ],
  ["the Node is Ready", { node: notReady({ status: "True" }) }, /not met: Node node-a .* \(it has been Ready since/],
  ["the Node does not say whether it is Ready", { node: aNode("False") }, /not met: Node node-a .* \(it does not say/],
  [
    "it is not long enough",
    { record: { down: { ...down, since: at(4 * minute) } } },
    /not met: both of these must have held for 5m \(since/,
  ],
  ["it is not written down", { record: {} }, /not met: both of these must have held for 5m \(not yet\);/],
  [
    "nova-compute has reported in between",
    { service: { ...silent, reported: now - 3 * minute } },
    /not met: both of these/,
  ],
  [
    "the Node was Ready in between",
    { node: notReady({ lastTransitionTime: at(2 * minute) }) },
    /not met: both of these/,
  ],
  ["no scheduler is up", { outage: { services: [silent, up] } }, /not met: a nova-scheduler must be up \(none is\)/],
  [
    "most others are down, too",
    { outage: { services: [silent, { ...up, state: "down" }, scheduler] } },
    /not met: at most 50 % of nova-computes may be silent \(2 of 2 are\)/,
  ],
])("it is not while %s, and the verdict says so", (_, options, says) => {
  expect(isProvenDown(suspected(options))).toBe(false);
  expect(verdictsOn(suspected(options))).toMatch(says);
});

test("a Node that does not exist is a witness; the time since when stays until one of them says otherwise", () => {
  const gone = { down: { ...down, ready: "gone" } };
  expect(isProvenDown(suspected({ node: undefined, record: gone }))).toBe(true);
  expect(downOf(suspected())).toMatchObject(down);
  expect(downOf(suspected({ node: notReady({ lastTransitionTime: at(0) }) }))?.since).toBe(at(0));
  expect(downOf(suspected({ service: aService() }))).toBeUndefined();
});

test("it is fenced when Ironic sees it off, or a person says so of this very outage", () => {
  const power = (isOff: boolean) => ({ isOff, state: "", target: undefined });
  expect(isFenced(suspected())).toBe(false);
  const agreed = (accepted: string, isOff = true) =>
    isFenced(suspected({ record: { down, accepted }, outage: { power: power(isOff) } }));
  expect([agreed(at(minute)), agreed(at(minute), false)]).toEqual([true, false]);
  // What Ironic shows may be of an earlier outage.
  expect([agreed(at(8 * minute)), isFenced(suspected({ outage: { power: power(true) } }))]).toEqual([false, false]);
  expect(isFenced(suspected({ annotations: { [fencedKey]: down.since } }))).toBe(true);
  for (const said of ["true", "", at(60 * minute)])
    expect(isFenced(suspected({ annotations: { [fencedKey]: said } }))).toBe(false);
  expect(fencingOf(suspected())).toContain(`${fencedKey}=${down.since}`);
});

test("the change by which Holdfast forces it down is no life, and a report after that change is", () => {
  const annotations = { [fencedKey]: down.since };
  const forcedDown = { ...silent, reported: now - 40_000, isForcedDown: true };
  const seen = (forced?: object) =>
    isFenced(suspected({ service: forcedDown, annotations, record: { down, hard: at(1 * minute), ...forced } }));
  expect(seen()).toBe(true);
  expect(seen({ forced: { at: at(30_000), reported: at(40_000) } })).toBe(true);
  expect(seen({ forced: { at: at(45_000), reported: at(50_000) } })).toBe(false);
  // Such a change may be a person's, too: who answers for it says of which.
  annotations[fencedKey] = at(40_000);
  expect(seen({ forced: { at: at(45_000), reported: at(50_000) } })).toBe(true);
  annotations[fencedKey] = at(41_000);
  expect(seen({ forced: { at: at(45_000), reported: at(50_000) } })).toBe(false);
});

test("a person is asked for a word that counts: of a change, of its time; while the Node is Ready, none", () => {
  const record = { down, hard: at(60_000), forced: { at: at(45_000), reported: at(50_000) } };
  const service = { ...silent, reported: now - 40_000, isForcedDown: true };
  const annotations = { [fencedKey]: at(40_000) };
  expect(fencingOf(suspected({ service, record }))).toContain(`${fencedKey}=${at(40_000)}`);
  const host = suspected({ service, annotations, record, node: notReady({ status: "True" }) });
  expect(fencingOf(host)).toContain("is Ready");
  expect(fencingOf(host)).not.toContain(fencedKey);
});

test("a word ends when the Node is Ready, also where the Node is deleted afterwards", () => {
  const record = { down, hard: at(60_000), forced: { at: at(45_000), reported: at(50_000) } };
  const service = { ...silent, reported: now - 50_000, isForcedDown: true };
  const annotations = { [fencedKey]: down.since };
  const seen = (options: Options) => suspected({ service, annotations, record, ...options });
  expect(isFenced(seen({ node: undefined }))).toBe(true);
  expect(downOf(seen({ node: notReady({ status: "True" }) }))).toBeUndefined();
  const { down: _, forced: __, ...after } = record;
  const again = downOf(seen({ node: undefined, record: after }));
  expect(again).toMatchObject({ since: at(0), ready: "gone" });
  expect(isFenced(seen({ node: undefined, record: { ...after, down: again } }))).toBe(false);
});

test("of a host that is forced down without a note of its outage, one is made as soon as its Node is not Ready", () => {
  const record = { hard: at(60_000) };
  const service = { ...silent, isForcedDown: true };
  expect(downOf(suspected({ service, record, node: notReady({ status: "True" }) }))).toBeUndefined();
  const noted = downOf(suspected({ service, record }));
  expect(noted?.since).toBe(at(0));
  const annotations = { [fencedKey]: at(0) };
  expect(isFenced(suspected({ service, annotations, record: { ...record, down: noted } }))).toBe(true);
});

test.each<[string, Options]>([
  ["reports again", { service: { ...silent, reported: now, isForcedDown: true } }],
  ["is Ready again", { node: notReady({ status: "True" }) }],
])("a host that %s is not fenced, even if it was before", (_, options) => {
  const annotations = { [fencedKey]: down.since };
  const power = { isOff: true, state: "power off", target: undefined };
  expect(isFenced(suspected({ ...options, annotations, outage: { power } }))).toBe(false);
});
