import { expect, test } from "vitest";
import type { Harness } from "./harness.ts";
import { said } from "./harness.ts";

/** Who is let in, and what is said to whom is not. */
export function login(at: () => Harness): void {
  const call = (fun: string, rest: object = {}) =>
    JSON.stringify({ client: "local_async", tgt: at().minion, fun, ...rest });
  const logIn = (body: object) => at().send({ path: "/login", body: JSON.stringify(body) });
  const account = () => at().under.account;

  test("a login gives a token and the account's rights", async () => {
    const response = await logIn(account());
    expect([response.status, response.headers["content-type"]]).toEqual([200, "application/json"]);
    const [given] = JSON.parse(response.body).return;
    expect(given.token).toMatch(/^\w+$/);
    expect(given.perms).toContain("@jobs");
  });

  test("a wrong password, and none", async () => {
    const { password: _, ...without } = account();
    for (const body of [{ ...account(), password: "wrong" }, without]) {
      const response = await logIn(body);
      expect([response.status, said(response)]).toEqual([401, "Could not authenticate using provided credentials"]);
    }
  });

  test("a right password lets in any user, with no rights", async () => {
    const response = await logIn({ ...account(), username: "nobody-has-listed-me" });
    expect([response.status, JSON.parse(response.body).return[0].perms]).toEqual([200, {}]);
  });

  test("no token, and one that Salt has not given", async () => {
    for (const token of [undefined, "0123456789abcdef0123456789abcdef01234567"]) {
      const response = await at().send({ body: call("test.ping") }, token);
      expect([response.status, said(response)]).toEqual([401, "No permission -- see authorization schemes"]);
    }
  });

  test.each([
    ["cmd.run", { arg: ["id"] }],
    ["saltutil.kill_job", { arg: ["20260101000000000000"] }],
    ["state.sls", { arg: ["metalk8s.volumes"] }],
    ["state.sls", { kwarg: { mods: "metalk8s.volumes" } }],
    ["metalk8s_volumes.attach", {}],
  ])("%s with %o is not for the account", async (fun, rest) => {
    const response = await at().send({ body: call(fun, rest) }, await at().token());
    expect([response.status, said(response)]).toEqual([401, "Authorization error occurred."]);
  });

  test("an account without the right to read jobs", async () => {
    const token = await at().token(at().under.powerless);
    const response = await at().send({ method: "GET", path: `/jobs/${at().jid()}` }, token);
    expect(response.status).toBe(401);
    expect(said(response)).toMatch(/^Authentication failure of type "token" occurred for user /);
  });

  test("find_job is for everybody", async () => {
    const body = JSON.stringify({ client: "local", tgt: at().minion, fun: "saltutil.find_job", arg: [at().jid()] });
    const response = await at().send({ body }, await at().token(at().under.powerless));
    expect([response.status, JSON.parse(response.body)]).toEqual([200, { return: [{ [at().minion]: {} }] }]);
  });

  test("a token has its time", async ({ skip }) => {
    const { tokenExpire } = at().under;
    skip(tokenExpire > 60, `tokens are good for ${tokenExpire} s`);
    const token = await at().token();
    const ask = () => at().send({ method: "GET", path: `/jobs/${at().jid()}` }, token);
    expect((await ask()).status).toBe(200);
    await at().pass(tokenExpire);
    const response = await ask();
    expect([response.status, said(response)]).toEqual([401, 'Authentication failure of type "token" occurred.']);
    // The client logs in again.
    expect(await at().salt.readJob(at().jid(), at().minion)).toEqual({ state: "unknown" });
  });
}
