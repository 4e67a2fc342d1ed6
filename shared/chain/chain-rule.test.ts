import { expect, test } from "vitest";
import { z } from "zod";
import { about } from "../about.ts";
import type { Hint } from "../event/hint.ts";
import { ApiError } from "../kubernetes/api-error.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { partly } from "../look-at-each.ts";
import { progressKey } from "../progress.ts";
import { on } from "../rule.ts";
import type { Subject } from "../subject.ts";
import { resync } from "../sweep.ts";
import { SystemError, type SystemFailure } from "../system/system-error.ts";
import { chain } from "./chain.ts";
import { chainRule } from "./chain-rule.ts";
import type { Facts } from "./facts.ts";

const Thing = { apiVersion: "example.com/v1", kind: "Thing", plural: "things", namespaced: true } as const;
const now = Date.parse("2026-01-01T00:00:00Z");

interface Ready {
  readonly is: "ready";
  readonly opened: boolean;
  readonly emptied: boolean;
}
type Look = () => Promise<Facts<Ready>>;

const thing = (name: string, annotations: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: Thing.apiVersion,
  kind: Thing.kind,
  metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: "1", annotations },
});

/** A chain of two steps over these objects, and what the rule of each decides about them. */
function chainOver(objects: readonly KubernetesObject[], looks: Readonly<Record<string, Look>>, patience = 0) {
  const closing = chain({
    system: "shop",
    kinds: [Thing],
    noun: "closing",
    stuckReason: "ClosingStuck",
    patience,
    steps: [
      {
        name: "open",
        doc: "Opens the thing.",
        done: ({ opened }: Ready) => opened,
        waiting: () => "The thing is being opened.",
      },
      {
        name: "empty",
        doc: "Empties the thing.",
        done: ({ emptied }: Ready) => emptied,
        waiting: () => "The thing is being emptied.",
        stuck: () => true,
        advice: () => "Empty it by hand.",
      },
    ],
    rule: { settings: z.object({}), triggers: [on(Thing, ["update"])], sweep: [resync(Thing)] },
    concerns: ({ metadata }) => metadata.deletionTimestamp !== undefined,
    find: async () => objects.map((object) => ({ object })),
    look: ({ object }) => (looks[object.metadata.name] as Look)(),
    conditions: ({ message, stuck, away }) => {
      const reason = away ? "Away" : stuck ? "Error" : "InProgress";
      return [{ type: "Closed", status: away ? "Unknown" : "False", reason, message }];
    },
    again: () => 10_000,
  });
  const open = chainRule(closing, "open", { doc: "Opens.", permissions: [], act: ({ wait }) => [wait()] });
  const empty = chainRule(closing, "empty", { doc: "Empties.", permissions: [], act: ({ wait }) => [wait()] });
  const decide = async (rule: typeof open, at = now) =>
    rule.decide(await rule.look({ kind: Thing }, { client: undefined as never, settings: {} }), at, {});
  return { closing, open, empty, decide };
}

const at =
  (facts: Partial<Ready>): Look =>
  async () => ({ is: "ready", opened: true, emptied: false, ...facts });
const away: Look = async () => {
  throw new SystemError("LINSTOR", "unreachable", "LINSTOR did not answer.");
};

test("a rule acts when the next step is its own, and leaves the object otherwise", async () => {
  const { open, empty, decide } = chainOver([thing("one")], { one: at({}) });
  expect(await decide(open)).toMatchObject([{ do: "leave" }]);
  expect(await decide(empty)).toMatchObject([{ do: "write", step: { name: "stuck" }, next: now + 10_000 }]);
});

test("a rule takes each step that names it, and a rule that no step names is refused", async () => {
  const { closing } = chainOver([thing("one")], { one: at({}) });
  const steps = closing.steps.map((step) => ({ ...step, rule: "close" }));
  const declared = { doc: "Closes.", permissions: [] };
  const close = chainRule({ ...closing, steps }, "close", { ...declared, act: ({ wait }) => [wait()] });
  const view = { client: undefined as never, settings: {} };
  const taken = async (facts: Partial<Ready>) => {
    const { seen } = await close.look({ kind: Thing }, view);
    return close.decide(
      { seen: seen.map((one) => ({ ...one, facts: { is: "ready", opened: true, emptied: false, ...facts } })) },
      now,
      {},
    );
  };
  expect(await taken({ opened: false })).toMatchObject([{ message: "The thing is being opened." }]);
  expect(await taken({})).toMatchObject([{ message: "The thing is being emptied. Empty it by hand." }]);
  expect(await taken({ emptied: true })).toMatchObject([{ do: "leave" }]);
  expect(() => chainRule({ ...closing, steps }, "open", { ...declared, act: () => [] })).toThrow(
    "name it in the chain",
  );
});

test("a person is called for, and advised, once an object has been kept for the chain's patience", async () => {
  const written = (step: string, ago: number) => {
    const since = new Date(now - ago).toISOString();
    return { "holdfast.dev/shop.empty": JSON.stringify({ v: 1, uid: "uid-one", step, since, because: "" }) };
  };
  const decided = async (annotations: Record<string, string>) => {
    const { empty, decide } = chainOver([thing("one", annotations)], { one: at({}) }, 60_000);
    return (await decide(empty))[0];
  };
  const halting = { step: { name: "halting" }, message: "The thing is being emptied." };
  for (const annotations of [{}, written("waiting", 90_000), written("halting", 30_000)])
    expect(await decided(annotations)).toMatchObject(halting);
  const stuck = { step: { name: "stuck" }, message: "The thing is being emptied. Empty it by hand." };
  for (const annotations of [written("halting", 60_000), written("stuck", 0)])
    expect(await decided(annotations)).toMatchObject(stuck);
});

test("the wait for a person begins again after an outage: what a system says first may be wrong", async () => {
  const since = new Date(now - 90_000).toISOString();
  const note = JSON.stringify({ v: 1, uid: "uid-one", step: "halting", since, because: "" });
  const decided = async (status: string, reason: string) => {
    const conditions = [{ type: "Closed", status, reason, message: "", lastTransitionTime: since }];
    const object = { ...thing("one", { "holdfast.dev/shop.empty": note }), status: { conditions } };
    const { empty, decide } = chainOver([object], { one: at({}) }, 60_000);
    return (await decide(empty))[0];
  };
  const began = { step: { name: "waiting" }, message: "The thing is being emptied." };
  expect(await decided("Unknown", "Away")).toMatchObject(began);
  expect(await decided("Unknown", "Away")).toHaveProperty("writes.0.patch.status.conditions.0.status", "False");
  expect(await decided("False", "InProgress")).toMatchObject({ step: { name: "stuck" } });
});

test("an object whose external system is away stops alone, and the first rule says what is away", async () => {
  const { open, decide } = chainOver([thing("one"), thing("two")], { one: away, two: at({ opened: false }) });
  const [one, two] = await decide(open);
  const message =
    "The closing waits for LINSTOR, which has been away since 2026-01-01T00:00:00.000Z. The closing goes on when " +
    "LINSTOR is back. The reason: " +
    "LINSTOR did not answer.";
  expect(one).toMatchObject({ do: "write", message, step: { name: "away" }, next: now + 10_000 });
  expect(one).toHaveProperty(
    "writes.0.patch.status.conditions.0",
    expect.objectContaining({ status: "Unknown", message }),
  );
  expect(two).toMatchObject({ do: "write", step: { name: "waiting" } });
});

const since = "since 2026-01-01T00:00:00.000Z. The closing goes on when LINSTOR";
const awayText = `been away ${since} is back`;
const refusingText = `not done what Holdfast asks ${since} does it`;
test.each<[SystemFailure, string]>([
  ["unreachable", awayText],
  ["overloaded", awayText],
  ["unauthorized", refusingText],
  ["refused", refusingText],
])("a system that fails as %s has %s", async (failure, state) => {
  const look: Look = async () => {
    throw new SystemError("LINSTOR", failure, "It says no.");
  };
  const { open, decide } = chainOver([thing("one")], { one: look });
  const message = `The closing waits for LINSTOR, which has ${state}. The reason: It says no.`;
  expect(await decide(open)).toMatchObject([{ message }]);
});

test("an object that the API server does not serve stops alone, and the look fails in the end", async () => {
  const error = new ApiError("GET", { status: 500, reason: "InternalError", message: "a fault" });
  const broken: Look = async () => {
    throw error;
  };
  const { open } = chainOver([thing("one"), thing("two")], { one: broken, two: at({ opened: false }) });
  const look = (subject: Subject) => open.look(subject, { client: undefined as never, settings: {} });
  const { facts, failures } = await partly(() => look({ kind: Thing }));
  expect(failures).toEqual([{ object: { kind: Thing, namespace: "shop", name: "one" }, error }]);
  expect(open.decide(facts, now, {})).toMatchObject([{ about: { metadata: { name: "two" } }, do: "write" }]);
  const { open: alone } = chainOver([thing("one")], { one: broken });
  await expect(alone.look({ kind: Thing, name: "one" }, { client: undefined as never, settings: {} })).rejects.toBe(
    error,
  );
});

const says = (step: string, because = "It waits.", more: object = {}) => {
  const progress = { v: 1, uid: "uid-one", step: "away", since: new Date(now).toISOString(), because, ...more };
  return { [progressKey(`shop/${step}`)]: JSON.stringify(progress) };
};

test("a rule that alone cannot ask says so, with a time to look again, where no other rule has said it", async () => {
  const { empty, decide } = chainOver([thing("one")], { one: away });
  const [one] = await decide(empty);
  expect(one).toMatchObject({ do: "write", step: { name: "away" }, next: now + 10_000 });
  expect(one).toHaveProperty("writes.0.patch.status.conditions.0.status", "Unknown");
  const { empty: second } = chainOver([thing("one", says("open"))], { one: away });
  expect(await decide(second)).toMatchObject([{ do: "leave" }]);
});

test("the first rule says in the words of another one what is away for both", async () => {
  const from = new Date(now - 60_000).toISOString();
  const because =
    `The closing waits for LINSTOR, which has been away since ${from}. ` +
    "The closing goes on when LINSTOR is back. The reason: no.";
  const { open, decide } = chainOver([thing("one", says("empty", because, { system: "LINSTOR", from }))], {
    one: away,
  });
  expect(await decide(open)).toMatchObject([{ do: "write", message: because, step: { details: { from } } }]);
});

test("what a later rule has written stays while its system is away, and a wait for a person begins again", async () => {
  const decided = async (step: string, since: number) => {
    const noteOf = (step: string) =>
      JSON.stringify({ v: 1, uid: "uid-one", step, since: new Date(since).toISOString(), because: "" });
    const notes = { [progressKey("shop/open")]: noteOf("away"), [progressKey("shop/empty")]: noteOf(step) };
    const { empty, decide } = chainOver([thing("one", notes)], { one: away });
    return (await decide(empty))[0];
  };
  const stays = { do: "write", writes: [], progress: "unchanged" };
  expect(await decided("waiting", now - 3_600_000)).toMatchObject(stays);
  expect(await decided("away", now)).toMatchObject({ do: "leave" });
  // Not at once: a system that answers every other time would have it removed and written by turns.
  for (const step of ["halting", "stuck"]) {
    for (const ago of [0, 69_999, -69_999]) expect(await decided(step, now - ago)).toMatchObject(stays);
    expect(await decided(step, now - 70_000)).toMatchObject({ do: "leave" });
  }
});

test("the note of an outage stays for a pause where the system answers by turns, with any clocks", async () => {
  const { open, decide } = chainOver([thing("one", says("open"))], { one: at({}) });
  for (const later of [0, 9_999, 69_999, -69_999])
    expect(await decide(open, now + later)).toMatchObject([{ do: "write", writes: [], progress: "unchanged" }]);
  for (const other of [70_000, -70_000]) expect(await decide(open, now + other)).toMatchObject([{ do: "leave" }]);
});

test("of a rule that has just noted an outage, decisions about other objects are taken", async () => {
  const { closing, decide } = chainOver([thing("one", says("open"))], { one: at({ opened: false }) });
  const open = chainRule(closing, "open", {
    doc: "Opens.",
    permissions: [],
    act: ({ wait }) => [wait(), about(Thing, thing("two")).wait("It waits, too.", { step: { name: "waiting" } })],
  });
  const [own, other] = await decide(open);
  expect(own).toMatchObject({ do: "write", writes: [], progress: "unchanged" });
  expect(other).toMatchObject({ do: "wait", message: "It waits, too." });
});

test("an outage that goes on changes neither the sentence nor the due time", async () => {
  const because =
    "The closing waits for LINSTOR, which has been away since 2026-01-01T00:00:00.000Z. The closing goes on when " +
    "LINSTOR is back. The reason: " +
    "a proxy answered 502.";
  const from = new Date(now).toISOString();
  const next = new Date(now + 10_000).toISOString();
  const progress = { v: 1, uid: "uid-one", step: "away", since: from, from, system: "LINSTOR", next, because };
  const { open, decide } = chainOver([thing("one", { [progressKey("shop/open")]: JSON.stringify(progress) })], {
    one: away,
  });
  expect(await decide(open, now + 600_000)).toMatchObject([{ message: because, next: now + 10_000 }]);
});

test("a rule that can ask acts while another one cannot, and leaves the conditions to that one", async () => {
  const { open, empty, decide } = chainOver([thing("one", says("open"))], { one: at({}) });
  expect(await decide(empty)).toMatchObject([{ do: "write", step: { name: "stuck" }, writes: [] }]);
  expect(await decide(open, now + 70_000)).toMatchObject([{ do: "leave" }]);
  const { open: first } = chainOver([thing("one", says("empty"))], { one: at({ opened: false }) });
  expect(await decide(first)).toMatchObject([{ do: "write", step: { name: "waiting" }, writes: [] }]);
});

test("the first rule says what is halted, with any step done", async () => {
  const halted: Look = async () => ({ is: "halted", message: "A person must look." });
  const { open, empty, decide } = chainOver([thing("one")], { one: halted });
  expect(await decide(open)).toMatchObject([{ do: "write", step: { name: "stuck" }, message: "A person must look." }]);
  expect(await decide(empty)).toMatchObject([{ do: "leave" }]);
});

test("an event leads to its object where the chain concerns it, or the rule has something to clear", () => {
  const { open } = chainOver([], {});
  const hint = (object: KubernetesObject | undefined): Hint => {
    const { apiVersion, kind } = Thing;
    return { id: "e1", change: "update", apiVersion, kind, namespace: "shop", name: "one", object };
  };
  const one = [{ kind: Thing, namespace: "shop", name: "one" }];
  const deleting = thing("one");
  deleting.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
  expect(open.subjects(hint(thing("one")), {})).toEqual([]);
  expect(open.subjects(hint(deleting), {})).toEqual(one);
  expect(open.subjects(hint(undefined), {})).toEqual(one);
  expect(open.subjects(hint(thing("one", { [progressKey("shop/open")]: "{}" })), {})).toEqual(one);
  expect(open.subjects({ ...hint(deleting), change: "delete" }, {})).toEqual([]);
});
