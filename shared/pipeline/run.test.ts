import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Clock } from "../clock.ts";
import { Contended } from "../contended.ts";
import type { Call, Decision, WriteStep } from "../decision.ts";
import { ApiError } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import { PersistentVolume } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Write } from "../kubernetes/write.ts";
import { normal } from "../steps.ts";
import { command, sendingFirst } from "../system/command.ts";
import type { ExternalSystem } from "../system/system.ts";
import { SystemError, type SystemFailure } from "../system/system-error.ts";
import { run } from "./run.ts";

const clock: Clock = { now: () => 0, after: () => () => {}, sleep: () => Promise.resolve() };
const time = (at: number) => new Date(at).toISOString();
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const volume = (name: string, annotations = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, uid: name, resourceVersion: "1", annotations },
});

function write(name: string, order: number, more: Partial<WriteStep> = {}): Decision {
  const patch = {
    verb: "patch",
    kind: PersistentVolume,
    name,
    namespace: undefined,
    type: "merge",
    patch: {},
  } as const;
  const about = volume(name);
  return { do: "write", about, kind: PersistentVolume, message: "It is tested.", writes: [patch], order, ...more };
}

/** Runs decisions; returns what was asked of the API server, in its order, and how each object fared. */
async function carryOut(
  decisions: readonly Decision[],
  given: Readonly<Record<string, number>> | (() => Readonly<Record<string, number>>) = {},
  systems?: Readonly<Record<string, ExternalSystem>>,
) {
  const asked: string[] = [];
  const failing = typeof given === "function" ? given : () => given;
  const answer = (verb: string) => (_kind: unknown, _namespace: unknown, name: string) => {
    asked.push(`${verb} ${name}`);
    const status = failing()[name];
    if (status) return Promise.reject(new ApiError("CALL", { status, reason: "Test", message: "It fails." }));
    return Promise.resolve(volume(name) as never);
  };
  const create = (kind: unknown, object: KubernetesObject) =>
    answer("create")(kind, undefined, object.kind === "Event" ? "Event" : object.metadata.name);
  const client = { get: answer("get"), patch: answer("patch"), delete: answer("delete"), create } as unknown as Client;
  const rule = {
    name: "test/one",
    progressName: "test/shared",
    doc: "",
    settings: z.object({}),
    triggers: [],
    permissions: [],
    sweep: [],
    ...(systems ? { systems } : {}),
    steps: { held: normal("Held"), earlier: normal("Earlier") },
    subjects: () => [],
    look: async () => undefined,
    decide: () => decisions,
  };
  const tools = { client, connect: () => undefined as never, clock, log };
  const { outcomes } = await run(rule, { kind: PersistentVolume, name: "a" }, [], { client, settings: {} }, tools);
  const messages = [...outcomes.values()].flat().map(({ message }) => message);
  return {
    ...{ asked, messages, patches: asked.filter((one) => one.startsWith("patch ")) },
    outcomes: Object.fromEntries([...outcomes].map(([name, [outcome]]) => [name, outcome?.result])),
  };
}

describe("decisions of a higher order", () => {
  test("come after all of a lower one", async () => {
    const { asked } = await carryOut([write("last", 2), write("first", 0), write("second", 1), write("also first", 0)]);
    expect(asked).toEqual(["patch first", "patch also first", "patch second", "patch last"]);
  });

  test("do not come after one that has failed, and fail with it", async () => {
    const { asked, outcomes } = await carryOut([write("first", 0), write("also first", 0), write("last", 1)], {
      first: 503,
    });
    expect(asked).not.toContain("patch last");
    expect(outcomes).toEqual({ first: "failed", "also first": "write", last: "failed" });
  });

  test("come after a failure of another concern, and not after one of their own or of all", async () => {
    const of = (concern: string) => ({ concern });
    const two = [write("a0", 0, of("a")), write("b0", 0, of("b")), write("a1", 1, of("a")), write("b1", 1, of("b"))];
    const { asked, outcomes } = await carryOut([...two, write("last", 2)], { a0: 503 });
    expect(asked).toEqual(["patch a0", "patch b0", "patch b1"]);
    expect(outcomes).toEqual({ a0: "failed", b0: "write", a1: "failed", b1: "write", last: "failed" });
    expect((await carryOut([...two, write("guard", 0)], { guard: 503 })).asked).toEqual([
      "patch a0",
      "patch b0",
      "patch guard",
    ]);
  });

  test("do not come after a conflict, but after another look", async () => {
    const { asked, outcomes } = await carryOut([write("first", 0), write("last", 1)], { first: 409 });
    expect(asked).toEqual(["patch first", "patch first", "patch first"]);
    expect(outcomes).toEqual({ first: "failed", last: "failed" });
  });
});

describe("a command that is not sent", () => {
  const lamp = { name: "lamp" } as ExternalSystem;
  /** A call with two writes before its command. */
  function callThat(
    send: () => Promise<void>,
    preconditions: Call["preconditions"] = [],
    before?: () => Promise<void>,
  ): Call {
    const [held, note, unsent] = ["held", "note", "unsent"].map((name) => write(name, 0)) as WriteStep[];
    const light = command(lamp, "light", send, before)({});
    const writes = [...(held?.writes ?? []), ...(note?.writes ?? [])];
    const taken = { unsent: unsent?.writes[0] as Write };
    const step = { name: "held" };
    const about = volume("a");
    return {
      ...{ do: "call", about, kind: PersistentVolume, message: ".", step, writes, preconditions, command: light },
      ...taken,
    };
  }
  /** What is asked when the second of the writes fails so. */
  const askedFor = (status: number) =>
    carryOut([callThat(() => Promise.reject(new Error("It was sent.")))], { note: status }, { lamp });
  const once = ["patch a", "patch held", "patch note", "patch unsent"];

  test.each([403, 404])("has its note taken back after a refusal (%i)", async (status) => {
    expect((await askedFor(status)).patches.slice(0, 4)).toEqual(once);
  });

  test("has its note taken back if it finds itself that it must not be sent, and there is another look", async () => {
    const call = callThat(() => Promise.reject(new Contended("It has changed.")));
    const { patches, outcomes } = await carryOut([call], {}, { lamp });
    expect(patches).toEqual([...once, ...once, ...once]);
    expect(outcomes).toEqual({ a: "failed" });
  });

  test.each<[string, readonly boolean[], Readonly<Record<string, number>>, readonly string[]]>([
    ["does not hold any more", [true, false], {}, [...once, ...once, ...once]],
    ["cannot be read any more", [true], { other: 503 }, once],
    ["does not hold before it is noted", [false], {}, []],
  ])("has its note taken back, where there is one, if a precondition %s", async (_, answers, failing, expected) => {
    let reads = 0;
    const holds = () => answers[reads++ % answers.length] ?? false;
    const preconditions = [{ kind: PersistentVolume, namespace: undefined, name: "other", holds }];
    const sent: string[] = [];
    const call = callThat(async () => void sent.push("sent"), preconditions);
    const { patches } = await carryOut([call], () => (reads > 0 ? failing : {}), { lamp });
    expect(patches).toEqual(expected);
    expect(sent).toEqual([]);
  });

  const fails = (failure: SystemFailure, of: object = {}) =>
    Promise.reject(new SystemError("Lamp", failure, "The lamp is dark.", of));
  const named = (name: string) => (write(name, 0) as WriteStep).writes[0] as Write;

  test.each<[SystemFailure, string, string]>([
    ["unreachable", "patch unsent", "patch a"],
    ["overloaded", "patch unsent", "patch a"],
    // It does not help to repeat it.
    ["refused", "patch refused", ""],
    ["unauthorized", "patch refused", ""],
  ])("has its note taken back if what it reads first is %s, and this is reported", async (failure, taken, away) => {
    const sent: string[] = [];
    const call = callThat(
      async () => void sent.push("sent"),
      [],
      () => fails(failure, { answered: true }),
    );
    const others = { answered: named("answered"), refused: named("refused") };
    const { patches, messages } = await carryOut([{ ...call, ...others }], {}, { lamp });
    expect(patches).toEqual(["patch a", "patch held", "patch note", taken, ...(away ? [away] : [])]);
    expect([messages, sent]).toEqual([["The lamp is dark."], []]);
  });

  test("keeps its note if the command itself fails, because it may have been sent", async () => {
    const { asked } = await carryOut([callThat(() => fails("unreachable"))], {}, { lamp });
    expect(asked).not.toContain("patch unsent");
  });

  test("has all that it has noted taken back if no connection came about", async () => {
    const refused = () => sendingFirst(() => fails("unreachable", { unsent: true }));
    const call = { ...callThat(refused), unsent: [named("unsent"), named("second")] };
    const { patches, messages } = await carryOut([call], {}, { lamp });
    expect(patches.slice(0, 5)).toEqual([...once, "patch second"]);
    expect(messages).toEqual(["The lamp is dark."]);
    // Also in an outage that reads have met: no call that is not sent is waited for.
    const away = { v: 1, uid: "a", step: "LampUnreachable", since: time(-60_000), because: "The lamp is dark." };
    const noted = (more: object) => volume("a", { "holdfast.dev/test.one.away": JSON.stringify({ ...away, ...more }) });
    const askedWith = async (more: object) => (await carryOut([{ ...call, about: noted(more) }], {}, { lamp })).asked;
    expect(await askedWith({ next: time(-30_000) })).toEqual(expect.arrayContaining(["patch unsent", "patch second"]));
    expect(await askedWith({ next: time(20_000) })).toContain("patch unsent");
  });

  test("is not noted again before its pause is over: what is taken back would bring the next try at once", async () => {
    const sent: string[] = [];
    const away = {
      v: 1,
      uid: "a",
      step: "LampUnreachable",
      since: time(-60_000),
      because: "It is dark.",
      unsent: true,
    };
    const carriedOut = async (next: number) => {
      const note = JSON.stringify({ ...away, next: time(next) });
      const about = volume("a", { "holdfast.dev/test.one.away": note });
      return carryOut([{ ...callThat(async () => void sent.push("sent")), about }], {}, { lamp });
    };
    const nothing = { asked: [], patches: [] };
    for (const next of [1, 30_000, 90_000])
      expect(await carriedOut(next)).toEqual({ ...nothing, messages: ["It is dark."], outcomes: { a: "away" } });
    expect(sent).toEqual([]);
    // No clock is further ahead than that.
    for (const next of [0, 90_001]) expect((await carriedOut(next)).outcomes).toEqual({ a: "call" });
    expect(sent).toEqual(["sent", "sent"]);
  });

  test("is not noted again while what it reads first still fails: each note would bring the next try", async () => {
    const note = { step: "LampUnreachable", since: "1970-01-01T00:00:00.000Z", because: "The lamp is dark." };
    const about = volume("a", { "holdfast.dev/test.one.away": JSON.stringify(note) });
    const sent: string[] = [];
    const call = (before: () => Promise<void>) => ({
      ...callThat(async () => void sent.push("sent"), [], before),
      about,
    });
    const { asked } = await carryOut([call(() => fails("unreachable"))], {}, { lamp });
    expect(asked.filter((one) => /note|held/.test(one))).toEqual([]);
    await carryOut([call(async () => {})], {}, { lamp });
    expect(sent).toEqual(["sent"]);
  });

  test("says why it is not sent when there is no other look", async () => {
    const refuse = () => Promise.reject(new Contended("The lamp was lit by a person."));
    const { messages } = await carryOut([callThat(refuse)], {}, { lamp });
    expect(messages).toEqual([
      "The lamp was lit by a person. This was the last of 3 attempts, and each found a change; " +
        "the event will be delivered again.",
    ]);
    expect((await carryOut([write("a", 0)], { a: 409 })).messages).toEqual([
      "PersistentVolume a changed under every one of 3 attempts; the event will be delivered again.",
    ]);
  });

  test.each([409, 429, 503])("has its note taken back if a later write fails (%i): it is this run's", async (status) =>
    expect((await askedFor(status)).asked).toContain("patch unsent"),
  );

  test.each([409, 429, 503])("leaves its note if the first write of it fails (%i)", async (status) => {
    const call = callThat(() => Promise.reject(new Error("It was sent.")));
    const { asked } = await carryOut([call], { held: status, a: status }, { lamp });
    expect(asked).not.toContain("patch unsent");
    // What an object shows is no note.
    const shown = { ...named("shown"), options: { subresource: "status" } } as Write;
    const metadata = { uid: "a", resourceVersion: "1", annotations: { note: "It is called." } };
    const note = { ...named("a"), patch: { metadata } } as Write;
    const { asked: again } = await carryOut([{ ...call, writes: [note, shown] }], { a: status }, { lamp });
    expect(again).toContain("patch shown");
    expect(again).not.toContain("patch unsent");
  });

  test("has its note taken back by a second or third try, and no more", async () => {
    const call = callThat(() => Promise.reject(new Contended("It has changed.")));
    for (const [status, each] of [
      [503, 3],
      [409, 1],
    ] as const) {
      const { asked } = await carryOut([call], { unsent: status }, { lamp });
      expect(asked.filter((one) => one === "patch unsent")).toHaveLength(3 * each);
    }
  });
});

test("what does not hold of another object is named when there is no other look", async () => {
  const preconditions = [{ kind: PersistentVolume, namespace: undefined, name: "other", holds: () => false }];
  expect((await carryOut([write("a", 0, { preconditions })])).messages).toEqual([
    "PersistentVolume other has changed in the meantime. This was the last of 3 attempts, and each found a change; " +
      "the event will be delivered again.",
  ]);
});

describe("a decision to write nothing", () => {
  test("asks nothing of the API server, and clears nothing", async () => {
    const { asked, outcomes } = await carryOut([write("a", 0, { writes: [], clears: ["Earlier"] })]);
    expect(asked).toEqual([]);
    expect(outcomes).toEqual({ a: "leave" });
  });

  test("still asks once for what it depends on", async () => {
    const holds = () => true;
    const preconditions = [{ kind: PersistentVolume, namespace: undefined, name: "other", holds }];
    expect((await carryOut([write("a", 0, { writes: [], preconditions })])).asked).toEqual(["get other"]);
  });
});

test("rules of one progress write it down under one name, and clear each other's Events", async () => {
  const before = { v: 1, uid: "a", step: "earlier", since: "2026-01-01T00:00:00Z", because: "It is tested." };
  const about = volume("a", { "holdfast.dev/test.shared": JSON.stringify(before) });
  const step = { name: "held" };
  const { asked } = await carryOut([write("a", 0, { about, step })]);
  expect(asked).toEqual(["patch a", "create Event", expect.stringMatching(/^delete a\./)]);
  const again = { ...before, step: "held" };
  const same = volume("a", { "holdfast.dev/test.shared": JSON.stringify(again) });
  expect((await carryOut([write("a", 0, { about: same, writes: [], step })])).asked).toEqual([]);
});
