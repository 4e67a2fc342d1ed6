import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../shared/clock.ts";
import { SystemError } from "../../../../shared/system/system-error.ts";
import { atOneRoot } from "../../../../shared/system/testing/at-one-root.ts";
import type { SystemRequest, SystemResponse } from "../../../../shared/system/transport.ts";
import type { Salt } from "./client.ts";
import { salt as system } from "./system.ts";

const jid = "20261122103000000001";
const minion = "worker-0";
const job = { jid, minion, fun: "state.sls", kwarg: { mods: "metalk8s.volumes" } };

type Answer = unknown;

const json = (value: unknown, status = 200): SystemResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});
const html = (status: number, sentence: string): SystemResponse => ({
  status,
  headers: { "content-type": "text/html;charset=utf-8" },
  body: `<html><body><h2>${status}</h2><p>${sentence}</p></body></html>`,
});
const loggedIn = (token = "t1") =>
  json({ return: [{ token, expire: 1, start: 0, user: "holdfast", perms: ["@jobs"] }] });

/** A client that gets these answers one after the other, and what it has asked. */
function clientWith(answers: readonly SystemResponse[], credentials: Record<string, string> = { password: "secret" }) {
  const asked: SystemRequest[] = [];
  const left = [...answers];
  const salt = system.connect({
    settings: system.settings.parse({}),
    clock: systemClock,
    credential: async (name) => credentials[name],
    ...atOneRoot(async (request) => {
      asked.push(request);
      const next = left.shift();
      if (!next) throw new Error("No test expected this request.");
      return next;
    }),
  });
  const tokens = () => asked.map(({ path, headers }) => (path === "/login" ? "login" : headers["x-auth-token"]));
  return { salt, asked, tokens, bodies: () => asked.map(({ body }) => body && JSON.parse(body)) };
}

/** What a call throws for an answer. */
async function failureOf(call: (salt: Salt) => Promise<unknown>, ...answers: SystemResponse[]): Promise<SystemError> {
  const outcome = await call(clientWith([loggedIn(), ...answers]).salt).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(SystemError);
  return outcome as SystemError;
}

describe("requests", () => {
  test("a job is posted under its id, without a queue", async () => {
    const { salt, bodies, asked } = clientWith([loggedIn(), json({ return: [{ jid, minions: [minion] }] })]);
    await salt.spawn({ ...job, metadata: { uid: "u" } });
    expect(asked[1]).toMatchObject({ method: "POST", path: "/", headers: { "x-auth-token": "t1" } });
    expect(bodies()).toEqual([
      { eauth: "holdfast", username: "holdfast", password: "secret" },
      { client: "local_async", tgt: minion, fun: "state.sls", kwarg: job.kwarg, jid, metadata: { uid: "u" } },
    ]);
  });

  test.each(["*", "worker-?", "worker-[01]", "", "-x", "a b", "worker-0,worker-1"])(
    "%o is no minion",
    async (minion) => {
      const { salt, asked } = clientWith([]);
      for (const call of [salt.spawn({ ...job, minion }), salt.findJob(jid, minion), salt.run({ ...job, minion })])
        await expect(call).rejects.toMatchObject({ failure: "refused" });
      expect(asked).toEqual([]);
    },
  );

  test.each(["", "abc", "../../x", `${jid}/../..`, `${jid}0`])("%o is no id", async (jid) => {
    const { salt, asked } = clientWith([]);
    for (const call of [salt.spawn({ ...job, jid }), salt.readJob(jid, minion), salt.findJob(jid, minion)])
      await expect(call).rejects.toMatchObject({ failure: "refused" });
    expect(asked).toEqual([]);
  });
});

describe("logins", () => {
  const unknown = json({ info: [{ jid, Error: "Cannot contact returner or no job with this jid", Result: {} }] });
  const stale = html(401, "No permission -- see authorization schemes");

  test("a token is kept for the next requests, and requests at once share one login", async () => {
    const { salt, tokens } = clientWith([loggedIn(), unknown, unknown, unknown]);
    await Promise.all([salt.readJob(jid, minion), salt.readJob(jid, minion)]);
    await salt.readJob(jid, minion);
    expect(tokens()).toEqual(["login", "t1", "t1", "t1"]);
  });

  test.each([
    "No permission -- see authorization schemes",
    'Authentication failure of type "token" occurred.',
    "Who are you?",
  ])("after %o it logs in once more, with the credential as it is then", async (sentence) => {
    const credentials = { password: "old" };
    const { salt, tokens, bodies } = clientWith(
      [loggedIn("t1"), html(401, sentence), loggedIn("t2"), unknown],
      credentials,
    );
    const read = salt.readJob(jid, minion);
    credentials.password = "new";
    expect(await read).toEqual({ state: "unknown" });
    expect(tokens()).toEqual(["login", "t1", "login", "t2"]);
    expect(bodies()[2]).toMatchObject({ password: "new" });
  });

  test("two requests with the same stale token log in once", async () => {
    const { salt, tokens } = clientWith([loggedIn("t1"), stale, stale, loggedIn("t2"), unknown, unknown]);
    await Promise.all([salt.readJob(jid, minion), salt.readJob(jid, minion)]);
    expect(tokens()).toEqual(["login", "t1", "t1", "login", "t2", "t2"]);
  });

  test("a second 401 is final, and says what to grant", async () => {
    const error = await failureOf((salt) => salt.readJob(jid, minion), stale, loggedIn("t2"), stale);
    expect(error.failure).toBe("unauthorized");
    expect(error.message).toContain("Grant it @jobs in external_auth");
  });

  test.each([
    ["Authorization error occurred.", (salt: Salt) => salt.spawn(job), "Grant it state.sls on worker-0"],
    [
      'Authentication failure of type "token" occurred for user holdfast.',
      (salt: Salt) => salt.readJob(jid, minion),
      "Grant it @jobs",
    ],
  ])("%o is final at once: another login would not help", async (sentence, call, advice) => {
    const error = await failureOf(call, html(401, sentence));
    expect([error.failure, error.message]).toEqual(["unauthorized", expect.stringContaining(advice)]);
  });

  const logIn = async (answer: SystemResponse | undefined, credentials?: Record<string, string>) => {
    const { salt, asked } = clientWith(answer ? [answer] : [], credentials);
    const error = await salt.readJob(jid, minion).catch((error: SystemError) => error);
    return { error: error as SystemError, asked };
  };

  test("a wrong password, one that gives no rights, and none", async () => {
    const wrong = await logIn(html(401, "Could not authenticate using provided credentials"));
    expect(wrong.error).toMatchObject({
      failure: "unauthorized",
      message: expect.stringContaining("the Secret holdfast-salt"),
    });
    for (const perms of [{}, []]) {
      const powerless = await logIn(json({ return: [{ token: "t", perms }] }));
      expect(powerless.error).toMatchObject({
        failure: "unauthorized",
        message: expect.stringContaining("grants it nothing"),
      });
    }
    const none = await logIn(undefined, {});
    expect(none.error).toMatchObject({
      failure: "unauthorized",
      message: expect.stringContaining("nothing to log in"),
    });
    expect(none.asked).toEqual([]);
  });

  test("a service account's token goes before a password, and is not sent with it", async () => {
    const { asked } = await logIn(loggedIn(), { token: "jwt", password: "secret" });
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({ eauth: "holdfast", username: "holdfast", token: "jwt" });
  });

  const odd = { token: ["s3cr3t-t0ken"], perms: ["@jobs"] };
  test.each<[string, SystemResponse]>([
    ["of another shape", json({ return: [odd] })],
    ["in no list", json(odd)],
    ["that is cut off", { status: 200, headers: {}, body: '"s3cr3t-t0ken", "return": [' }],
    ["in plain text", { status: 200, headers: {}, body: "s3cr3t-t0ken" }],
  ])("an answer to a login %s is refused, and its token is in no message and no cause", async (_, answer) => {
    const { error } = await logIn(answer);
    expect(error).toMatchObject({ failure: "unreachable", message: expect.stringContaining("asked to log in") });
    expect(`${inspect(error, { depth: 9 })}`).not.toContain("s3cr3t-t0ken");
  });

  test("http:// is refused before anything is sent, unless the setting allows it", async () => {
    const asked: SystemRequest[] = [];
    const connect = (settings: object) =>
      system.connect({
        settings: system.settings.parse(settings),
        clock: systemClock,
        credential: async () => "secret",
        ...atOneRoot(async (request) => {
          asked.push(request);
          return request.path === "/login" ? loggedIn() : unknown;
        }),
      });
    await expect(connect({ saltUrl: "http://salt:8000" }).readJob(jid, minion)).rejects.toMatchObject({
      failure: "refused",
      message: expect.stringMatching(/password would be sent in plain text.*SALT_ALLOW_HTTP/s),
    });
    expect(asked).toEqual([]);
    const allowed = connect({ saltUrl: "http://salt:8000", saltAllowHttp: "true" });
    expect(await allowed.readJob(jid, minion)).toEqual({ state: "unknown" });
  });

  test("a login that failed is not remembered", async () => {
    const { salt, tokens } = clientWith([html(500, "x"), loggedIn(), unknown]);
    await expect(salt.readJob(jid, minion)).rejects.toMatchObject({ failure: "unreachable" });
    expect(await salt.readJob(jid, minion)).toEqual({ state: "unknown" });
    expect(tokens()).toEqual(["login", "login", "t1"]);
  });
});

describe("answers that are none", () => {
  const calls: [string, (salt: Salt) => Promise<unknown>][] = [
    ["spawn", (salt) => salt.spawn(job)],
    ["readJob", (salt) => salt.readJob(jid, minion)],
    ["findJob", (salt) => salt.findJob(jid, minion)],
    ["run", (salt) => salt.run(job)],
  ];
  const bodies: [string, string][] = [
    ["a page", "<html><body>It works!</body></html>"],
    ["half a body", '{"return": [{"jid": "2026'],
    ["nothing", ""],
    ["null", "null"],
    ["a list", "[]"],
    ["an empty map", "{}"],
    ["nothing in it", '{"return": [], "info": []}'],
    ["wrong types", '{"return": ["x"], "info": ["x"]}'],
    ["numbers for texts", '{"return": [{"jid": 1, "minions": 2, "worker-0": 3}], "info": [{"jid": 1, "Result": 2}]}'],
    [
      "another job",
      `{"return": [{"jid": "20261122103000000002", "minions": ["worker-0"]}], "info": [{"jid": "2", "Result": {}}]}`,
    ],
    [
      "another minion",
      `{"return": [{"jid": "${jid}", "minions": ["worker-1"], "worker-1": {}}], "info": [{"jid": "2", "Result": {}}]}`,
    ],
  ];
  test.each(calls.flatMap(([name, call]) => bodies.map(([what, body]) => [name, what, body, call] as const)))(
    "%s: %s",
    async (_, __, body, call) => {
      const error = await failureOf(call, { status: 200, headers: {}, body });
      expect(error.failure).toBe("unreachable");
      expect(error.message).toMatch(/^Salt was asked to .*\. The answer is ignored\. Check that .*\.$/s);
    },
  );

  test.each<[number, Record<string, string>, string, number?]>([
    [400, {}, "refused"],
    [404, {}, "unreachable"],
    [429, { "retry-after": "7" }, "overloaded", 7000],
    [500, {}, "unreachable"],
    [502, {}, "unreachable"],
    [503, {}, "unreachable"],
    [503, { "retry-after": "2" }, "overloaded", 2000],
    [302, { location: "/elsewhere" }, "unreachable"],
  ])("HTTP %i with %o is %s", async (status, headers, failure, retryAfter) => {
    const error = await failureOf((salt) => salt.spawn(job), { status, headers, body: "<p>No.</p>" });
    expect([error.failure, error.retryAfter]).toEqual([failure, retryAfter]);
    expect(error.message).toContain(`HTTP ${status}: "No".`);
  });

  test("a minion that Salt does not know", async () => {
    const error = await failureOf((salt) => salt.spawn(job), json({ return: [{}] }));
    expect([error.failure, error.message]).toEqual(["refused", expect.stringContaining("salt-key --accept=worker-0")]);
  });
});

describe("records", () => {
  const info = (rest: object) => json({ info: [{ jid, Function: "x", Result: {}, ...rest }] });
  const read = (answer: SystemResponse) => clientWith([loggedIn(), answer]).salt.readJob(jid, minion);

  test.each<[string, object, Answer]>([
    ["no result yet", {}, { state: "pending" }],
    [
      "another minion's result only",
      { Result: { "worker-1": { return: {}, retcode: 0, success: true } } },
      { state: "pending" },
    ],
    ["an error", { Error: "Cannot contact returner or no job with this jid" }, { state: "unknown" }],
    [
      "its own",
      { Result: { [minion]: { return: 1, retcode: 0, success: true } } },
      { state: "ended", outcome: { end: "success", value: 1 } },
    ],
  ])("%s", async (_, rest, record) => expect(await read(info(rest))).toEqual(record));

  test.each([
    ["a text", "done"],
    ["no code", { return: {}, success: true }],
    ["a code that is no number", { return: {}, retcode: "0", success: true }],
    ["no return", { retcode: 0, success: true }],
    ["no verdict", { return: {}, retcode: 0 }],
  ])("a result with %s is not believed", async (_, result) => {
    await expect(read(info({ Result: { [minion]: result } }))).rejects.toMatchObject({ failure: "unreachable" });
  });

  test("a minion called like a member of every object", async () => {
    const { salt } = clientWith([loggedIn(), info({})]);
    expect(await salt.readJob(jid, "constructor")).toEqual({ state: "pending" });
  });
});

describe("whereabouts", () => {
  const find = (value: unknown) =>
    clientWith([loggedIn(), json({ return: [{ [minion]: value }] })]).salt.findJob(jid, minion);

  test.each<[string, unknown, string]>([
    ["it runs", { ret: { pid: 7, fun: "state.sls", jid }, retcode: 0 }, "running"],
    ["it does not", { ret: {}, retcode: 0 }, "absent"],
    [
      "no minion answers",
      { ret: "Minion did not return. [No response]\n", retcode: 1, out: "no_return" },
      "unreachable",
    ],
    ["an old master's word for it", { ret: false, retcode: 0 }, "unreachable"],
    ["an error of the function", { ret: "The minion function caused an exception", retcode: 1 }, "unreachable"],
    ["nothing, with an error", { ret: {}, retcode: 1 }, "unreachable"],
    ["a list", { ret: [], retcode: 0 }, "unreachable"],
  ])("%s", async (_, value, whereabouts) => expect(await find(value)).toBe(whereabouts));

  test("another job is no answer", async () => {
    await expect(find({ ret: { pid: 7, jid: "20261122103000000002" }, retcode: 0 })).rejects.toMatchObject({
      failure: "unreachable",
    });
  });

  test("a job that ends between the two questions is found at the third", async () => {
    const pending = json({ info: [{ jid, Result: {} }] });
    const ended = json({ info: [{ jid, Result: { [minion]: { return: 1, retcode: 0, success: true } } }] });
    const absent = json({ return: [{ [minion]: { ret: {}, retcode: 0 } }] });
    const { salt } = clientWith([loggedIn(), pending, absent, ended]);
    expect(await salt.lookAtJob(jid, minion)).toMatchObject({ record: { state: "ended" } });
    const still = clientWith([loggedIn(), pending, absent, pending]).salt;
    expect(await still.lookAtJob(jid, minion)).toEqual({ record: { state: "pending" }, whereabouts: "absent" });
  });
});
