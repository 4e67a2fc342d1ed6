import { expect, test } from "vitest";
import type { Harness } from "./harness.ts";
import { said } from "./harness.ts";

/** How requests are answered that are none, or for no minion. */
export function requests(at: () => Harness): void {
  test.each([
    ["{", "Invalid JSON document"],
    [JSON.stringify({ fun: "test.ping", tgt: "*" }), "Invalid client specified: 'None'"],
    [JSON.stringify({ client: "nonsense", fun: "test.ping" }), "Invalid client specified: 'nonsense'"],
  ])("%s is refused", async (body, text) => {
    const response = await at().send({ body }, await at().token());
    expect(response.status).toBe(400);
    expect(said(response).replaceAll("&#39;", "'").replaceAll("&#x27;", "'")).toContain(text);
  });

  test("a command without a function, and no command", async () => {
    const token = await at().token();
    const without = await at().send({ body: JSON.stringify({ client: "local_async", tgt: at().minion }) }, token);
    expect([without.status, JSON.parse(without.body)]).toEqual([
      500,
      { status: 500, return: "An unexpected error occurred" },
    ]);
    const none = await at().send({ body: "[]" }, token);
    expect([none.status, JSON.parse(none.body)]).toEqual([200, { return: [] }]);
  });

  test("a minion that the master does not know", async () => {
    const token = await at().token();
    const jid = at().jid();
    const command = { tgt: "nobody", fun: "metalk8s_volumes.prepare", kwarg: { name: "v" } };
    for (const client of ["local_async", "local"]) {
      const { status, body } = await at().send({ body: JSON.stringify({ ...command, client, jid }) }, token);
      expect([status, JSON.parse(body)]).toEqual([200, { return: [{}] }]);
    }
    await expect(at().salt.spawn({ ...command, minion: "nobody", jid })).rejects.toMatchObject({ failure: "refused" });
    expect(await at().salt.readJob(jid, "nobody")).toEqual({ state: "unknown" });
    expect(await at().salt.findJob(jid, "nobody")).toBe("unreachable");
  });

  test("an id that no job has", async () => {
    const jid = at().jid();
    const unknown = "Cannot contact returner or no job with this jid";
    expect(await at().info(jid)).toMatchObject({ jid, Error: unknown, Result: {} });
    expect(await at().salt.readJob(jid, at().minion)).toEqual({ state: "unknown" });
  });
}
