import { describe, expect, test } from "vitest";
import { answerOf, bodyOf, fakeRegistry, surroundedBy } from "../testing/fake-registry.ts";
import { connect } from "./registry.ts";
import type { Answer, Message } from "./transport.ts";

const repository = { host: "registry.test", path: "a/b" };
const login = { user: "user", password: "secret", origin: "the configuration" };
const head = { method: "HEAD", to: "blobs/sha256:0" } as const;
const fault = (code: string, message = code) => Object.assign(new Error(message), { code });

describe("tries again", () => {
  test("what may go well later, waiting twice as long each time, and not for ever", async () => {
    const pauses: number[] = [];
    const registry = fakeRegistry({ intercept: async ({ method }) => answerOf(method === "HEAD" ? 503 : 200) });
    const connection = await connect(repository, "pull", surroundedBy(registry, {}, pauses));
    expect((await connection.send(head)).status).toBe(503);
    expect(pauses).toHaveLength(3);
    for (const [index, base] of [500, 1000, 2000].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(base * 0.75);
      expect(pauses[index]).toBeLessThanOrEqual(base * 1.25);
    }
  });

  test("when the registry says, but not after hours", async () => {
    const pauses: number[] = [];
    const answers = [answerOf(429, { "retry-after": "7" }), answerOf(503, { "retry-after": "86400" }), answerOf(200)];
    const registry = fakeRegistry({
      intercept: async ({ method }) => (method === "HEAD" ? (answers.shift() ?? answerOf(500)) : answerOf(200)),
    });
    const connection = await connect(repository, "pull", surroundedBy(registry, {}, pauses));
    expect((await connection.send(head)).status).toBe(200);
    expect(pauses).toEqual([7000, 30_000]);
  });

  test("a connection that breaks", async () => {
    let broken = 0;
    const registry = fakeRegistry({
      intercept: async (message, next) => {
        if (message.method === "HEAD" && broken++ < 2) throw fault("ECONNRESET");
        return next(message);
      },
    });
    const connection = await connect(repository, "pull", surroundedBy(registry));
    expect((await connection.send(head)).status).toBe(404);
  });

  test("a registry that starts", async () => {
    let asked = 0;
    const registry = fakeRegistry({ intercept: async () => answerOf(asked++ < 2 ? 502 : 200) });
    await expect(connect(repository, "pull", surroundedBy(registry))).resolves.toBeDefined();
  });
});

describe("does not try again", () => {
  test.each([
    ["ENOTFOUND", "The registry registry.test cannot be reached: "],
    ["ECONNREFUSED", "The registry registry.test cannot be reached: "],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "The certificate of registry.test is not trusted: "],
    ["EPROTO", "registry.test does not answer with TLS. If it is meant to be so, say --insecure-registry."],
  ])("what no waiting mends: %s", async (code, message) => {
    const pauses: number[] = [];
    const registry = fakeRegistry({
      intercept: async () => {
        throw fault(code);
      },
    });
    await expect(connect(repository, "pull", surroundedBy(registry, {}, pauses))).rejects.toThrow(message);
    expect(pauses).toEqual([]);
  });

  test("what was to be tried once", async () => {
    const pauses: number[] = [];
    const registry = fakeRegistry({ intercept: async ({ method }) => answerOf(method === "HEAD" ? 503 : 200) });
    const connection = await connect(repository, "pull", surroundedBy(registry, {}, pauses));
    expect((await connection.send({ ...head, once: true })).status).toBe(503);
    expect(pauses).toEqual([]);
  });
});

test("without TLS goes only what is on this machine, or is meant to", async () => {
  const schemes: string[] = [];
  const registry = fakeRegistry({
    intercept: async ({ url }) => {
      schemes.push(new URL(url).protocol);
      if (url.startsWith("https:")) throw fault("EPROTO");
      return answerOf(200);
    },
  });
  await connect({ host: "localhost:5000", path: "a" }, "pull", surroundedBy(registry));
  await connect(repository, "pull", surroundedBy(registry, { insecure: true }));
  expect(schemes).toEqual(["https:", "http:", "https:", "http:"]);
});

describe("a registry with tokens", () => {
  const challenge = 'Bearer realm="https://tokens.test/token?a=b",service="registry"';

  /** Takes tokens that are `good`, and asks `give` for the service's answers. */
  function withTokens(give: (message: Message) => Promise<Answer>, good = (_token: string) => true) {
    return fakeRegistry({
      intercept: async (message, next) => {
        if (message.url.startsWith("https://tokens.test/")) return give(message);
        const token = message.headers?.authorization?.replace("Bearer ", "");
        return token && good(token) ? next(message) : answerOf(401, { "www-authenticate": challenge });
      },
    });
  }

  test("gets one for what is to be done, with the login, once for all that want it at the same time", async () => {
    const asked: Message[] = [];
    const registry = withTokens(async (message) => {
      asked.push(message);
      return answerOf(200, {}, JSON.stringify({ access_token: "t" }));
    });
    const connection = await connect(
      repository,
      "pull,push",
      surroundedBy(registry, { credentials: async () => login }),
    );
    const answers = await Promise.all([head, head, head].map((call) => connection.send(call)));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      url: "https://tokens.test/token?a=b&service=registry&scope=repository%3Aa%2Fb%3Apull%2Cpush",
      headers: { authorization: `Basic ${Buffer.from("user:secret").toString("base64")}` },
    });
  });

  test("gets it for an identity token by a form, as OAuth has it", async () => {
    const forms: string[] = [];
    const registry = withTokens(async (message) => {
      forms.push(`${message.method} ${await bodyOf(message)}`);
      return answerOf(200, {}, JSON.stringify({ token: "t" }));
    });
    const credentials = async () => ({ identityToken: "i", origin: "x" });
    const connection = await connect(repository, "pull", surroundedBy(registry, { credentials }));
    await connection.send(head);
    expect(forms).toEqual([
      "POST " +
        "grant_type=refresh_token&refresh_token=i&client_id=holdfast&scope=repository%3Aa%2Fb%3Apull&service=registry",
    ]);
  });

  test("gets another when one has run out, and never a third", async () => {
    let given = 0;
    const give = async () => answerOf(200, {}, JSON.stringify({ token: `t${++given}` }));
    const registry = withTokens(give, (token) => token === "t2");
    const connection = await connect(repository, "pull", surroundedBy(registry, { credentials: async () => login }));
    expect((await connection.send(head)).status).toBe(404);
    expect(given).toBe(2);

    const never = withTokens(give, () => false);
    const other = await connect(repository, "pull", surroundedBy(never, { credentials: async () => login }));
    given = 0;
    await expect(other.send(head)).rejects.toThrow("The registry refuses the login from the configuration");
    expect(given).toBe(2);
  });

  test("a service that refuses, is away, or answers nonsense, is named by its address", async () => {
    const open = (give: () => Promise<Answer>) =>
      connect(repository, "pull", surroundedBy(withTokens(give), { credentials: async () => login })).then(({ send }) =>
        send(head),
      );
    const at = "https://tokens.test/token?a=b";
    await expect(open(async () => answerOf(403, {}, "go away"))).rejects.toThrow(
      `${at} gives the login from the configuration no token for registry.test: 403, go away.`,
    );
    await expect(open(() => Promise.reject(fault("ENOTFOUND")))).rejects.toThrow(
      `${at}, where registry.test has its tokens from, cannot be reached: ENOTFOUND.`,
    );
    await expect(open(async () => answerOf(200, {}, "{}"))).rejects.toThrow(`${at} has answered without a token`);
    await expect(open(async () => answerOf(200, {}, "<html>"))).rejects.toThrow(`${at} has answered without a token`);
  });

  test("a service that is busy is asked again", async () => {
    let asked = 0;
    const registry = withTokens(async () =>
      asked++ < 2 ? answerOf(503) : answerOf(200, {}, JSON.stringify({ token: "t" })),
    );
    const connection = await connect(repository, "pull", surroundedBy(registry, { credentials: async () => login }));
    expect((await connection.send(head)).status).toBe(404);
    expect(asked).toBe(3);
  });
});

test("a token is for the registry alone, not for where it sends an upload", async () => {
  const elsewhere: Message[] = [];
  const registry = fakeRegistry({
    intercept: async (message, next) => {
      if (message.url.startsWith("https://storage.test")) elsewhere.push(message);
      return message.headers?.authorization || message.url.startsWith("https://storage.test")
        ? next(message)
        : answerOf(401, { "www-authenticate": "Basic realm=a" });
    },
  });
  const connection = await connect(repository, "pull,push", surroundedBy(registry, { credentials: async () => login }));
  await connection.send({ method: "PUT", to: "https://storage.test/upload?digest=x" });
  await connection.send(head);
  expect(elsewhere.map(({ headers }) => headers?.authorization)).toEqual([undefined]);
});
