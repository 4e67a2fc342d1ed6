import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Clock } from "../clock.ts";
import type { Decision } from "../decision.ts";
import { annotate } from "../kubernetes/annotate.ts";
import { ApiError, type ApiFailure } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import { guardedPatch, metadataOperations } from "../kubernetes/guarded-patch.ts";
import { PersistentVolumeClaim as Claim, type Kind, PersistentVolume } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Write } from "../kubernetes/write.ts";
import { lookAtEach, wholeOr } from "../look-at-each.ts";
import { nextProgress } from "../progress.ts";
import { type Rule, rule } from "../rule.ts";
import { normal, silent, warning } from "../steps.ts";
import { command } from "../system/command.ts";
import { system } from "../system/system.ts";
import { SystemError } from "../system/system-error.ts";
import { receive } from "./receive.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const clock: Clock = { now: () => now, after: () => () => {}, sleep: () => Promise.resolve() };
const failure = (status: number, reason: string, more: Partial<ApiFailure> = {}) =>
  new ApiError("CALL", { status, reason, message: "the server says so", ...more });

const claim = (name = "data", metadata: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: "7", ...metadata },
});

const event = (name = "data", id = "e1") => ({
  headers: {
    "ce-specversion": "1.0",
    "ce-id": id,
    "ce-source": "test",
    "ce-type": "dev.knative.apiserver.resource.update",
    "ce-kind": "PersistentVolumeClaim",
    "ce-apiversion": "v1",
    "ce-name": name,
    "ce-namespace": "shop",
  },
  body: "",
});

/**
 * A client that records its calls and answers them from a list of errors, then with success, but for objects that are
 * gone.
 */
function world(errors: Record<string, (Error | undefined)[]> = {}, gone: readonly string[] = []) {
  const calls: unknown[][] = [];
  const call = (verb: string, kind: Kind, ...rest: unknown[]) => {
    calls.push([verb, kind.plural, ...rest]);
    const error = errors[`${verb} ${kind.plural}`]?.shift();
    if (error) return Promise.reject(error);
    return Promise.resolve(undefined as never);
  };
  const client: Client = {
    get: (kind, _namespace, name) => call("get", kind, name),
    list: () => {
      throw new Error("not used here");
    },
    create: (kind, object) => call("create", kind, object),
    patch: async (kind, _namespace, name, type, patch) => {
      await call("patch", kind, name, type, patch);
      return (gone.includes(name) ? undefined : claim(name)) as never;
    },
    delete: (kind, _namespace, name, options) => call("delete", kind, name, options),
    request: () => Promise.reject(new Error("not used here")),
  };
  const lines: [string, Record<string, unknown>, string][] = [];
  const say = (level: string) => (fields: object, sentence: string) =>
    void lines.push([level, fields as Record<string, unknown>, sentence]);
  const log = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  return { calls, lines, tools: { client: () => client, clock, log, settings: {} } };
}

/** A rule on single claims that decides as a test wants. */
function toy(decide: (look: number) => Decision[], more: Partial<Rule> = {}) {
  let looks = 0;
  return rule({
    name: "test/toy",
    doc: "Does as a test wants.",
    settings: z.object({}),
    triggers: [],
    permissions: [],
    sweep: [],
    steps: { held: normal("Held"), earlier: warning("Earlier"), evacuating: silent },
    subjects: ({ namespace, name }) => (namespace ? [{ kind: Claim, namespace, name }] : []),
    look: async () => ++looks,
    decide,
    ...more,
  } as Rule);
}

/** Sends one event to a rule, which may only say what it decides, and returns the reply. */
function send(
  declared: Rule | Parameters<typeof toy>[0],
  tools: Parameters<typeof receive>[1] = world().tools,
  more: Partial<Rule> = {},
) {
  return receive(typeof declared === "function" ? toy(declared, more) : declared, tools)(event());
}
const verbsOf = (calls: readonly unknown[][]) => calls.map(([verb, plural]) => `${verb} ${plural}`);

/** The same with a client that fails so, and differs so. Returns also what it was asked, and the log. */
async function sent(
  declared: Parameters<typeof send>[0],
  errors: Parameters<typeof world>[0] = {},
  differs: (client: Client) => Partial<Client> = () => ({}),
) {
  const { tools, calls, lines } = world(errors);
  const client = { ...tools.client(), ...differs(tools.client()) };
  const reply = await send(declared, { ...tools, client: () => client });
  return { reply, calls, lines, verbs: verbsOf(calls) };
}
const conflict = () => failure(409, "Conflict");
const onPatch = (...errors: (Error | undefined)[]) => ({ "patch persistentvolumeclaims": errors });

const about = { about: claim(), kind: Claim, message: "The test says so." };
const patch = { verb: "patch", kind: Claim, namespace: "shop", name: "data", type: "merge", patch: {} } as const;
const write = (kind: Kind = Claim): Decision => ({ ...about, kind, do: "write", writes: [{ ...patch, kind }] });

describe("the reply", () => {
  test("to an event without subjects is 204, and no client is asked for", async () => {
    const client = () => {
      throw new Error("No client is needed.");
    };
    expect(await send(() => [], { ...world().tools, client }, { subjects: () => [] })).toEqual({
      status: 204,
      headers: {},
      body: "",
    });
  });

  test("to a malformed event is 400 with a sentence", async () => {
    const rule = toy(() => []);
    const reply = await receive(rule, world().tools)({ headers: {}, body: "" });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatch(/^The request is no CloudEvent/);
  });

  test.each([
    ["done", () => [write()], 204],
    ["nothing to do", () => [{ ...about, do: "leave" } as Decision], 204],
    ["waiting", () => [{ ...about, do: "wait" } as Decision], 204],
    ["stopped", () => [{ ...about, do: "stop" } as Decision], 204],
    ["no object", () => [], 204],
  ])("is an empty 204 when the outcome is: %s", async (_, decide, status) => {
    expect(await send(toy(decide))).toEqual({ status, headers: {}, body: "" });
  });

  test.each([
    [failure(0, "Unreachable"), 503],
    [failure(0, "Timeout"), 503],
    [failure(429, "TooManyRequests", { retryAfter: 1000 }), 503],
    [failure(500, "InternalError"), 503],
    [failure(503, "ServiceUnavailable"), 503],
    [failure(403, "Forbidden"), 403],
    [failure(401, "Unauthorized"), 503],
    [failure(422, "Invalid", { causes: [{ field: "spec" }] }), 400],
    [failure(400, "BadRequest"), 400],
    [new Error("undefined is not a function"), 500],
  ])("to %o in a look or in a write is %i, without a stack", async (error, status) => {
    const looking = toy(() => [], { look: () => Promise.reject(error) });
    const writing = toy(() => [write()]);
    for (const [declared, errors] of [
      [looking, {}],
      [writing, { "patch persistentvolumeclaims": [error] }],
    ] as const) {
      const reply = await send(declared, world(errors as never).tools);
      expect(reply.status).toBe(status);
      expect(reply.body).toMatch(/the server says so|This is a defect/);
      expect(reply.body).not.toMatch(/\n|\bat /);
    }
  });
});

test("an event that names more objects than any real one has some looked at, and the log says so", async () => {
  const { lines, tools } = world();
  const looked = new Set<string>();
  const subjects = Array.from({ length: 80_000 }, (_, i) => ({ kind: Claim, namespace: "shop", name: `data-${i}` }));
  const look: Rule["look"] = async ({ name = "" }) => looked.add(name);
  expect((await send(() => [], tools, { subjects: () => subjects, look })).status).toBe(204);
  expect(looked.size).toBe(1000);
  expect(lines).toEqual([
    [
      "warn",
      { rule: "test/toy", events: ["e1"] },
      "The event names 80000 objects. Only 1000 of them are looked at now, the others with the next resync.",
    ],
  ]);
});

describe("a conflict", () => {
  test("calls for another look, and the second decision is carried out", async () => {
    let looks = 0;
    const decide = (look: number) => {
      looks = look;
      return [write()];
    };
    const { reply, calls, lines } = await sent(decide, onPatch(conflict()));
    expect(reply.status).toBe(204);
    expect(looks).toBe(2);
    expect(calls).toHaveLength(2);
    expect(lines.map(([level]) => level)).toEqual(["info"]);
  });

  test("that outlasts three looks is left to the broker", async () => {
    const { reply, calls } = await sent(() => [write()], onPatch(conflict(), conflict(), conflict(), conflict()));
    const body = expect.stringContaining("changed under every one of 3 attempts");
    expect(reply).toMatchObject({ status: 503, body });
    expect(calls).toHaveLength(3);
  });

  test("a list that expired in the middle is begun again, at most three times", async () => {
    let looks = 0;
    const expired = toy(() => [], {
      look: () => {
        looks++;
        return Promise.reject(failure(410, "Expired"));
      },
    });
    expect(await send(expired)).toMatchObject({ status: 503 });
    expect(looks).toBe(3);
  });

  test("on one object does not repeat what was done to the others", async () => {
    const other = { ...write(), about: claim("other"), writes: [{ ...patch, name: "other" }] } as Decision;
    const declared = toy((look) => (look === 1 ? [write(), other] : [other]));
    const { reply, calls } = await sent(declared, onPatch(undefined, conflict()));
    expect(reply).toMatchObject({ status: 204 });
    expect(calls.map(([, , name]) => name)).toEqual(["data", "other", "other"]);
  });
});

describe("waiting", () => {
  const held = (object = claim(), next?: number): Decision => ({
    ...about,
    message: "It is held.",
    about: object,
    do: "wait",
    step: { name: "held" },
    ...(next === undefined ? {} : { next }),
  });
  const once = (look: number) => (look === 1 ? [held()] : []);

  test("is written to the annotation with uid and resourceVersion, after the Event", async () => {
    const { calls, verbs } = await sent(() => [held(claim(), now + 10_000)]);
    expect(verbs).toEqual(["create events", "patch persistentvolumeclaims"]);
    expect(calls[0]?.[2]).toMatchObject({
      reason: "Held",
      note: "It is held.",
      regarding: { uid: "uid-data", name: "data" },
      reportingInstance: "test/toy",
    });
    expect(calls[1]?.[4]).toMatchObject({
      metadata: { uid: "uid-data", resourceVersion: "7", labels: { "holdfast.dev/waiting": "true" } },
    });
  });

  test("that meets a conflict withdraws its Event, because the next look may decide otherwise", async () => {
    const { calls, verbs } = await sent((look) => (look === 1 ? [held()] : [write()]), onPatch(conflict()));
    expect(verbs).toEqual([
      "create events",
      "patch persistentvolumeclaims",
      "patch persistentvolumeclaims",
      "delete events",
      "patch persistentvolumeclaims",
    ]);
    expect(calls[2]?.[4]).toEqual({ metadata: { uid: "uid-data" } });
  });

  test("that meets a conflict withdraws its Event also where an earlier step is written down", async () => {
    const text = nextProgress(claim(), "test/toy", { name: "earlier" }, "It was so.", now) ?? "";
    const noted = claim("data", { annotations: { "holdfast.dev/test.toy": text } });
    const earlier = { ...held(noted), message: "It was so.", step: { name: "earlier" } } as Decision;
    const { calls } = await sent((look) => (look === 1 ? [held(noted)] : [earlier]), onPatch(conflict()));
    // Its own alone: that of the step before still stands.
    const recorded = calls.find(([verb, plural]) => verb === "create" && plural === "events")?.[2] as KubernetesObject;
    expect(calls.flatMap(([verb, , name]) => (verb === "delete" ? [name] : []))).toEqual([recorded.metadata.name]);
  });

  test("that meets a conflict leaves an Event that was there before, with another note", async () => {
    const errors = { "create events": [failure(409, "AlreadyExists")], ...onPatch(conflict()) };
    const get: Client["get"] = async () => ({ note: "It was held otherwise.", metadata: { uid: "e" } }) as never;
    const { calls } = await sent(once, errors, () => ({ get }));
    // The one deletion is that of the replacement.
    expect(calls.filter(([verb]) => verb === "delete").length).toBe(1);
    expect(calls.filter(([verb, plural]) => verb === "create" && plural === "events").length).toBe(2);
  });

  test("whose Event another run has recorded is recorded once more, because that run may clear it", async () => {
    const present = [failure(409, "AlreadyExists"), failure(409, "AlreadyExists")];
    const errors = { "create events": present, ...onPatch(conflict()) };
    const get: Client["get"] = async () => ({ note: "It is held.", metadata: {} }) as never;
    const { verbs } = await sent(
      (look) => (look < 3 ? [held()] : []),
      errors,
      () => ({ get }),
    );
    expect(verbs).toEqual([
      // It was there: a conflict withdraws nothing.
      "create events",
      "patch persistentvolumeclaims",
      // Written: recorded once more.
      "create events",
      "patch persistentvolumeclaims",
      "create events",
    ]);
  });

  test("that meets a conflict with another run that has written the same leaves that one its Event", async () => {
    const { calls } = await sent(once, onPatch(conflict()), (client) => ({
      patch: async (...patch) => {
        await client.patch(...patch);
        const text = nextProgress(claim(), "test/toy", { name: "held" }, "It is held.", now) ?? "";
        return claim("data", { annotations: { "holdfast.dev/test.toy": text } }) as never;
      },
    }));
    expect(calls.filter(([verb]) => verb === "delete")).toEqual([]);
  });

  test("is neither written nor recorded again when nothing has changed", async () => {
    const first = await sent(() => [held()]);
    const written = first.calls[1]?.[4] as Pick<KubernetesObject, "metadata">;
    const second = await sent(() => [held(claim("data", { annotations: written.metadata.annotations }))]);
    expect(second.calls).toEqual([]);
  });

  test("no longer until a time takes the label away", async () => {
    const { calls } = await sent(() => [held(claim("data", { labels: { "holdfast.dev/waiting": "true" } }))]);
    expect(calls[1]?.[4]).toMatchObject({ metadata: { labels: { "holdfast.dev/waiting": null } } });
  });

  test("goes on when the API server takes no Event, and says so", async () => {
    const { reply, calls, lines } = await sent(() => [held()], { "create events": [failure(403, "Forbidden")] });
    expect(reply).toMatchObject({ status: 204 });
    expect(calls.at(-1)?.[0]).toBe("patch");
    expect(lines[0]?.[2]).toContain("The Event Held was not recorded");
  });
});

describe("a call to an external system", () => {
  const crane = system<{ evacuate(node: string): Promise<void> }, z.ZodObject>({
    name: "crane",
    doc: "Moves nodes.",
    settings: z.object({}),
    credentials: {},
    ports: [80],
    connect: () => {
      throw new Error("The test connects itself.");
    },
  });
  const evacuate = command(crane, "evacuate a node", (client, node: string) => client.evacuate(node));
  const calling: Decision = {
    ...about,
    do: "call",
    step: { name: "evacuating", attempt: 1 },
    command: evacuate("node-1"),
    next: now + 10_000,
  };
  const waiting = { "holdfast.dev/waiting": "true" };
  const calledBefore = [claim(), "test/toy", calling.step, calling.message, now, calling.next] as const;
  const stuckBefore = [claim(), "test/toy", { name: "stuck", attempt: 1 }, "It is stuck.", now, undefined] as const;
  const connectTo =
    (client: unknown) =>
    <Client>() =>
      client as Client;

  test("is sent after its intent is written, and looked after at its due time", async () => {
    const { tools, calls } = world();
    const order: unknown[] = [];
    const connect = connectTo({ evacuate: async (node: string) => void order.push(node, calls.length) });
    const reply = await send(() => [calling], { ...tools, connect }, { systems: { crane } });
    expect(reply.status).toBe(204);
    expect(order).toEqual(["node-1", 1]);
    expect(JSON.stringify(calls[0])).toContain("evacuating");
    expect(JSON.stringify(calls[0])).toContain("2026-03-01T12:00:10.000Z");
    expect(calls[0]?.[4]).toMatchObject({ metadata: { labels: { "holdfast.dev/waiting": "true" } } });
  });

  test.each([
    ["when the intent could not be written", { failures: [failure(503, "ServiceUnavailable")], gone: [] }],
    ["for an object that is gone", { failures: [], gone: ["data"] }],
  ])("is not sent %s", async (_, { failures, gone }) => {
    const { tools } = world({ "patch persistentvolumeclaims": failures }, gone);
    let sent = 0;
    const connect = connectTo({ evacuate: async () => void sent++ });
    const reply = await send(() => [calling], { ...tools, connect }, { systems: { crane } });
    expect([reply.status, sent]).toEqual([503, 0]);
  });

  test("that is repeated holds the object to what was looked at, although it writes nothing", async () => {
    const seen = { annotations: { "holdfast.dev/test.toy": nextProgress(...calledBefore) ?? "" } };
    const repeated: Decision = { ...calling, about: claim("data", { ...seen, labels: waiting }) };
    for (const [errors, expected] of [
      [[], [204, 1]],
      [Array.from({ length: 9 }, () => failure(409, "Conflict")), [503, 0]],
    ] as const) {
      const { tools, calls } = world({ "patch persistentvolumeclaims": [...errors] });
      let sent = 0;
      const connect = connectTo({ evacuate: async () => void sent++ });
      const reply = await send(() => [repeated], { ...tools, connect }, { systems: { crane } });
      expect([reply.status, sent]).toEqual(expected);
      const guard = { uid: "uid-data", resourceVersion: "7", annotations: {} };
      expect(calls[0]?.[4]).toEqual({ metadata: guard });
    }
  });

  test("leaves no Event of an earlier step behind when it fails", async () => {
    const { tools, calls } = world();
    const before = { annotations: { "holdfast.dev/test.toy": nextProgress(...stuckBefore) ?? "" } };
    const connect = connectTo({
      evacuate: () => Promise.reject(new SystemError("Crane", "unreachable", "Not there.")),
    });
    const steps = { evacuating: normal("Evacuating"), stuck: warning("EvacuationStuck") };
    const decision: Decision = { ...calling, about: claim("data", before) };
    await send(() => [decision], { ...tools, connect }, { systems: { crane }, steps });
    const recorded = calls.filter(([, plural]) => plural === "events").map(([verb]) => verb);
    expect(recorded).toEqual(["create", "delete"]);
  });

  test("to a system that the rule does not declare is a defect", async () => {
    const { tools, calls } = world();
    const reply = await send(() => [calling], { ...tools, connect: connectTo({}) });
    expect(reply).toMatchObject({ status: 500, body: expect.stringContaining("does not declare the system crane") });
    expect(calls).toEqual([]);
  });

  test.each([
    [new SystemError("Crane", "unreachable", "Crane could not be asked."), 503],
    [new SystemError("Crane", "overloaded", "Crane wants a pause.", { retryAfter: 7000 }), 503],
    [new SystemError("Crane", "unauthorized", "Crane does not let the function in: renew its token."), 403],
    [new SystemError("Crane", "refused", "Crane knows no node of that name."), 400],
  ])("that fails with %o is answered with %i, in a command and in a look", async (error, status) => {
    const connect = connectTo({ evacuate: () => Promise.reject(error) });
    const failing = toy(() => [], { systems: { crane }, look: () => Promise.reject(error) });
    for (const declared of [toy(() => [calling], { systems: { crane } }), failing]) {
      const reply = await send(declared, { ...world().tools, connect });
      expect(reply).toMatchObject({ status, body: error.message });
      expect(reply.headers["retry-after"]).toBe(error.retryAfter ? "7" : undefined);
    }
  });

  test.each([
    ["refused", true],
    ["unauthorized", true],
    ["unreachable", false],
    ["overloaded", false],
  ] as const)("that is %s says so in an Event on the object: %s", async (failure, isRecorded) => {
    const connect = connectTo({ evacuate: () => Promise.reject(new SystemError("Crane", failure, "Crane says why.")) });
    const { tools, calls } = world();
    await send(() => [calling], { ...tools, connect }, { systems: { crane } });
    const recorded = calls
      .filter(([verb, kind]) => verb === "create" && kind === "events")
      .map(([, , object]) => object);
    const expected = { reason: "CraneRefused", type: "Warning", note: "Crane says why." };
    expect(recorded).toEqual(isRecorded ? [expect.objectContaining(expected)] : []);
  });

  test("gives a look the client of each declared system", async () => {
    const client = {};
    let seen: unknown;
    const look = async (_: unknown, view: object) => {
      seen = view;
    };
    const declared = toy(() => [], { systems: { crane }, look });
    await send(declared, { ...world().tools, connect: connectTo(client) });
    expect((seen as { crane: unknown }).crane).toBe(client);
  });
});

describe("Events", () => {
  const inStep = (step: string) =>
    claim("data", {
      annotations: { "holdfast.dev/test.toy": nextProgress(claim(), "test/toy", { name: step }, "It was so.", now) },
    });
  const decided = (decision: Decision) => sent(() => [decision]);

  test("with the same note are written once; with another the Event is replaced", async () => {
    const present = { note: "It was held.", metadata: { uid: "event-uid" } };
    const errors = { "create events": [failure(409, "AlreadyExists")] };
    const stop: Decision = { ...about, do: "stop", event: warning("Held") };
    const { calls } = await sent(
      () => [stop],
      errors,
      () => ({ get: () => Promise.resolve(present as never) }),
    );
    expect(calls.map(([verb]) => verb)).toEqual(["create", "delete", "create"]);
    expect(calls[1]?.[3]).toEqual({ uid: "event-uid" });
  });

  test("of the step before are cleared on entering another", async () => {
    const object = inStep("earlier");
    const { verbs } = await decided({ ...about, about: object, do: "wait", step: { name: "held" } });
    expect(verbs).toEqual(["create events", "patch persistentvolumeclaims", "delete events"]);
  });

  test("of all steps are cleared when the rule has done with the object", async () => {
    const { verbs, calls } = await decided({ ...write(), about: inStep("earlier") } as Decision);
    expect(verbs).toEqual(["patch persistentvolumeclaims", "delete events", "delete events"]);
    expect(calls[0]?.[4]).toMatchObject({ metadata: { annotations: { "holdfast.dev/test.toy": null } } });
  });

  test("cost nothing where nothing was recorded", async () => {
    expect((await decided(write())).verbs).toEqual(["patch persistentvolumeclaims"]);
    expect((await decided({ ...about, do: "leave" })).verbs).toEqual([]);
  });

  test("of a step that is not declared are a defect, before anything is written", async () => {
    const { reply, verbs } = await decided({ ...write(), step: { name: "unheard-of" } } as Decision);
    expect(reply).toMatchObject({ status: 500, body: expect.stringContaining("declares no step unheard-of") });
    expect(verbs).toEqual([]);
  });

  test("without progress are recorded on the object alone", async () => {
    const { verbs, calls } = await decided({ ...about, do: "record", event: warning("Seen") });
    expect(verbs).toEqual(["create events"]);
    expect(calls[0]?.[2]).toMatchObject({ reason: "Seen", type: "Warning", action: "Toy", note: "The test says so." });
  });
});

describe("progress of a write", () => {
  const standing = (writes: readonly Write[]): Decision => ({ ...about, do: "write", writes, step: { name: "held" } });
  const written = async (writes: readonly Write[]) => {
    const { calls } = await sent(() => [standing(writes)]);
    return calls
      .filter(([, plural]) => plural !== "events")
      .map(([verb, , name, type, body]) => ({ verb, name, type, body }));
  };
  const progress = expect.stringContaining('"step":"held"');

  test("goes into a merge patch of the object", async () => {
    const merged = await written([
      { ...patch, patch: { metadata: { uid: "uid-data", annotations: { a: "b" } }, spec: {} } },
    ]);
    expect(merged).toHaveLength(1);
    expect(merged[0]?.body).toEqual({
      metadata: { uid: "uid-data", annotations: { a: "b", "holdfast.dev/test.toy": progress } },
      spec: {},
    });
  });

  test("goes into a JSON Patch of the object, which makes the annotations only once", async () => {
    const [one, ...more] = await written([
      guardedPatch(Claim, claim(), metadataOperations(claim(), "annotations", { a: "b" })),
    ]);
    expect(more).toEqual([]);
    const adds = ((one?.body ?? []) as { op: string; path: string }[]).filter(({ op }) => op === "add");
    expect(adds).toEqual([
      { op: "add", path: "/metadata/annotations", value: {} },
      { op: "add", path: "/metadata/annotations/a", value: "b" },
      { op: "add", path: "/metadata/annotations/holdfast.dev~1test.toy", value: progress },
    ]);
  });

  test("goes into a server-side apply of the object, which says it again where it is unchanged", async () => {
    const applied = { ...patch, type: "apply", patch: { metadata: { name: "data" }, spec: {} } } as const;
    const [first, ...more] = await written([applied]);
    expect(more).toEqual([]);
    const { metadata } = (first?.body ?? {}) as { metadata: { annotations: Record<string, string> } };
    expect(metadata).toEqual({ name: "data", annotations: { "holdfast.dev/test.toy": progress } });

    const about = claim("data", { annotations: metadata.annotations });
    const { calls } = await sent(() => [{ ...standing([applied]), about } as Decision]);
    expect(calls.map(([verb, , , type, body]) => ({ verb, type, body }))).toMatchObject([
      { verb: "patch", type: "apply", body: { metadata: { annotations: metadata.annotations } } },
    ]);
  });

  test("is a patch of its own, at the end, where the writes are of something else", async () => {
    const status = { ...patch, options: { subresource: "status" }, patch: { status: {} } };
    const other = { ...patch, name: "other" };
    for (const write of [status, other]) {
      const all = await written([write]);
      expect(all).toHaveLength(2);
      expect(all[1]).toMatchObject({
        name: "data",
        body: { metadata: { annotations: { "holdfast.dev/test.toy": progress } } },
      });
    }
  });

  test("is guarded by what a write of the object before it has left", async () => {
    const status = { ...annotate(Claim, claim(), {}), options: { subresource: "status" } } as Write;
    const { calls } = await sent(
      () => [standing([status])],
      {},
      (client) => ({
        patch: async (...given) => {
          await client.patch(...given);
          return claim("data", { resourceVersion: "8" }) as never;
        },
      }),
    );
    const versions = calls.flatMap(([verb, , , , body]) =>
      verb === "patch" ? [(body as KubernetesObject).metadata.resourceVersion] : [],
    );
    expect(versions).toEqual(["7", "8"]);
  });
});

test("a request that named its objects is not retried for an object that another request named", async () => {
  const { tools } = world({ "patch persistentvolumeclaims": [undefined, failure(503, "ServiceUnavailable")] });
  const both = [write(), { ...write(), about: claim("other") } as Decision];
  const declared = toy(() => both, { subjects: ({ name }) => [{ kind: Claim, namespace: "shop", members: [name] }] });
  const handle = receive(declared, tools);
  const replies = await Promise.all([handle(event("data", "e1")), handle(event("other", "e2"))]);
  expect(replies.map(({ status }) => status)).toEqual([204, 503]);
});

test("one request is retried when an object failed that no request of the shared run named", async () => {
  const { tools } = world({ "patch persistentvolumes": [failure(403, "Forbidden")] });
  const guard = { ...write(PersistentVolume), about: claim("guard"), order: 1 } as Decision;
  const declared = toy(() => [write(), guard], {
    subjects: ({ name }) => [{ kind: Claim, namespace: "shop", members: [name] }],
  });
  const handle = receive(declared, tools);
  const replies = await Promise.all([handle(event("data", "e1")), handle(event("other", "e2"))]);
  expect(replies.map(({ status }) => status)).toEqual([403, 204]);
});

test("a request is retried when one of two objects of a name failed and the other succeeded later", async () => {
  const errors = { "patch persistentvolumes": [failure(503, "ServiceUnavailable")] };
  const { reply, verbs } = await sent(
    () => [write(PersistentVolume), write()],
    errors,
    (client) => ({
      patch: async (kind, ...rest) => {
        if (kind === Claim) await setImmediate();
        return client.patch(kind, ...rest);
      },
    }),
  );
  expect(verbs).toEqual(["patch persistentvolumes", "patch persistentvolumeclaims"]);
  expect(reply.status).toBe(503);
});

test("a failure counts no more when another look has found it settled", async () => {
  const errors = { "patch persistentvolumes": [failure(503, "ServiceUnavailable")], ...onPatch(conflict()) };
  const { reply } = await sent((look) => (look === 1 ? [write(PersistentVolume), write()] : [write()]), errors);
  expect(reply).toMatchObject({ status: 204 });
});

test("requests that share a run resync when one of them does, and hear of every object that failed", async () => {
  const { tools } = world({ "patch persistentvolumeclaims": [failure(500, "InternalError")] });
  const resyncs: unknown[] = [];
  const declared = toy(() => [write()], {
    subjects: ({ id, name }) => [{ kind: Claim, namespace: "shop", name, resync: id === "e2" }],
    look: async ({ resync, members }) => void resyncs.push([resync, members]),
  });
  const handle = receive(declared, tools);
  const answers = await Promise.all(["e1", "e2"].map((id) => handle(event("web", id))));
  expect(resyncs).toEqual([[true, undefined]]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
});

test("a request that names no objects is not narrowed by one that does and shares its run", async () => {
  const { tools } = world();
  let seen: readonly string[] | undefined = ["nothing was looked at"];
  const declared = toy(() => [], {
    subjects: ({ name }) => [{ kind: Claim, namespace: "shop", ...(name === "all" ? {} : { members: [name] }) }],
    look: async ({ members }) => {
      seen = members;
    },
  });
  const handle = receive(declared, tools);
  await Promise.all([handle(event("data", "e1")), handle(event("all", "e2"))]);
  expect(seen).toBeUndefined();
});

test("nothing to do removes what was written down before", async () => {
  const annotations = { "holdfast.dev/test.toy": "{}" };
  const { calls } = await sent(() => [{ ...about, about: claim("data", { annotations }), do: "leave" }]);
  const metadata = { uid: "uid-data", annotations: { "holdfast.dev/test.toy": null } };
  expect(calls).toMatchObject([["patch", "persistentvolumeclaims", "data", "merge", { metadata }]]);
});

test("a conflict that a second look finds settled is no failure", async () => {
  const { reply } = await sent((look) => (look === 1 ? [write()] : []), onPatch(conflict()));
  expect(reply).toMatchObject({ status: 204 });
});

test("a decision is one log line: events, object, uid, decision, and why", async () => {
  const { lines } = await sent(() => [write()]);
  const object = { object: "PersistentVolumeClaim shop/data", uid: "uid-data" };
  const fields = { rule: "test/toy", events: ["e1"], ...object, decision: "write" };
  expect(lines).toEqual([["info", fields, "The test says so."]]);
});

describe("of several objects one that cannot be looked at", () => {
  const scope = { subjects: () => [{ kind: Claim, namespace: "shop" }] };
  const looking = (error: unknown): Partial<Rule> => ({
    ...scope,
    look: async () => {
      const { looked, failures } = await lookAtEach(
        ["first", "broken", "last"],
        (name) => ({ kind: Claim, namespace: "shop", name }),
        async (name) => {
          if (name === "broken") throw error;
          return name;
        },
      );
      return wholeOr(looked, failures);
    },
    decide: (names) =>
      (names as readonly string[]).map(
        (name): Decision => ({ ...about, about: claim(name), do: "write", writes: [{ ...patch, name }] }),
      ),
  });
  const patched = (calls: readonly unknown[][]) => calls.flatMap(([verb, , name]) => (verb === "patch" ? [name] : []));

  test("leaves the others alone, and the broker tries again", async () => {
    const { calls, lines, tools } = world();
    const error = failure(500, "InternalError");
    expect((await send(() => [], tools, looking(error))).status).toBe(503);
    expect(patched(calls)).toEqual(["first", "last"]);
    expect(lines.filter(([level]) => level === "error")).toEqual([
      ["error", expect.objectContaining({ subject: "PersistentVolumeClaim shop/broken", status: 503 }), error.message],
    ]);
  });

  test("says which external system is away for it", async () => {
    const { calls, tools } = world();
    const client = { ...tools.client(), get: async () => claim("broken") } as unknown as Client;
    const error = new SystemError("LINSTOR", "unreachable", "LINSTOR did not answer.");
    expect((await send(() => [], { ...tools, client: () => client }, looking(error))).status).toBe(503);
    expect(patched(calls)).toEqual(["first", "last", "broken"]);
    expect(JSON.stringify(calls.at(-2))).toContain("LINSTORUnreachable");
  });

  test.each([
    ["does not have a request repeated that named another, where one names it", ["first", "broken"], [204, 503]],
    ["has one request repeated, where none names it", ["first", "last"], [503, 204]],
  ])("%s", async (_, names, statuses) => {
    const { tools } = world();
    const rule = toy(() => [], {
      ...looking(failure(500, "InternalError")),
      subjects: ({ name }) => [{ kind: Claim, namespace: "shop", members: [name] }],
    });
    const handle = receive(rule, tools);
    const replies = await Promise.all(names.map((name) => handle(event(name, name))));
    expect(replies.map(({ status }) => status)).toEqual(statuses);
  });
});
