import { expect, test } from "vitest";
import type { Harness } from "./harness.ts";

/** In what words jobs fail, and which failure is only a conflict. */
export function failures(at: () => Harness): void {
  const states = (volume: string, kwarg: object = {}, seconds = 0) => ({
    fun: "state.sls",
    kwarg: { mods: "metalk8s.volumes", pillar: { volume, volume_seconds: seconds }, ...kwarg },
  });

  test("states while others run are a conflict on that minion, and nowhere else", async () => {
    const { salt, minion, otherMinion } = at();
    const [first, second, third, fourth] = [at().jid(), at().jid(), at().jid(), at().jid()];
    const [volume, other] = [at().volume(), at().volume()];
    await salt.spawn({ jid: first, minion, ...states(volume, {}, 4) });
    await at().pass(1.5);
    await salt.spawn({ jid: second, minion, ...states(other) });
    await salt.spawn({ jid: third, minion: otherMinion, ...states(other) });
    await salt.spawn({ jid: fourth, minion, fun: "metalk8s_volumes.device_info", kwarg: { name: at().volume() } });
    const because = expect.stringMatching(
      new RegExp(`^The function "state.sls" is running as PID \\d+ and was started at .* with jid ${first}$`),
    );
    expect(await at().ended(second)).toEqual({ end: "conflict", because });
    expect((await at().info(second)).Result[minion]).toEqual({
      return: [because],
      retcode: 1,
      success: false,
      out: "highstate",
    });
    expect(await at().ended(third, otherMinion)).toMatchObject({ end: "success" });
    expect(await at().ended(fourth)).toMatchObject({ end: "success" });
    expect(await at().ended(first)).toMatchObject({ end: "success" });
    expect(await at().starts(`good-${other}`)).toBe(0);
  });

  test.each([
    [
      "an SLS that is absent",
      { mods: "metalk8s.volumes.absent" },
      /^No matching sls found for 'metalk8s.volumes.absent' in env 'base'$/,
    ],
    [
      "an environment that is absent",
      { saltenv: "metalk8s-9" },
      /^No matching salt environment for environment 'metalk8s-9' found No matching sls found for '.*' in env '.*'$/,
    ],
    [
      "a template that does not render",
      { mods: "metalk8s.volumes.broken" },
      /^Rendering SLS 'base:metalk8s.volumes.broken' failed: Jinja variable 'no_such_function' is undefined/,
    ],
  ])("%s", async (_, kwarg, because) => {
    const { salt, minion } = at();
    const jid = at().jid();
    await salt.spawn({ jid, minion, ...states(at().volume(), kwarg) });
    expect(await at().ended(jid)).toEqual({ end: "failure", because: expect.stringMatching(because) });
    const { Result } = await at().info(jid);
    expect(Result[minion]).toMatchObject({ return: expect.any(Array), retcode: 1, success: false });
  });

  test("a state that fails is the cause, and not those that require it", async () => {
    const { salt, minion } = at();
    const jid = at().jid();
    await salt.spawn({ jid, minion, ...states("bad") });
    expect(await at().ended(jid)).toEqual({ end: "failure", because: "Failure!" });
    const { Result } = await at().info(jid);
    expect(Result[minion]).toMatchObject({ retcode: 2, success: false, out: "highstate" });
    const comments = Object.entries<{ result: boolean; comment: string }>(Result[minion].return).map(
      ([key, { result, comment }]) => [key.split("_|-")[1], result, comment],
    );
    expect(comments).toEqual([
      ["prepare-bad", true, expect.any(String)],
      ["format-bad", false, "Failure!"],
      ["mount-bad", false, "One or more requisite failed: metalk8s.volumes.format-bad"],
    ]);
  });

  test("states that are only tried have no result, though their code is 0", async () => {
    const { salt, minion } = at();
    const [jid, volume] = [at().jid(), at().volume()];
    await salt.spawn({ jid, minion, ...states(volume, { test: true }) });
    expect(await at().ended(jid)).toEqual({ end: "failure", because: expect.stringContaining("test mode") });
    const { Result } = await at().info(jid);
    expect(Result[minion]).toMatchObject({ retcode: 0, success: true });
    expect(await at().starts(`good-${volume}`)).toBe(0);
  });

  test("a function that raises, one that is called wrongly, and one that says itself that it failed", async () => {
    const { salt, minion } = at();
    const calls = [
      { fun: "metalk8s_volumes.device_info", kwarg: { name: "bad" } },
      { fun: "metalk8s_volumes.device_info", kwarg: {} },
      { fun: "metalk8s_volumes.device_name", kwarg: { path: "/dev/none" } },
    ];
    const seen = [];
    for (const call of calls) {
      const jid = at().jid();
      await salt.spawn({ jid, minion, ...call });
      const outcome = await at().ended(jid);
      const { retcode, success } = (await at().info(jid)).Result[minion];
      seen.push([outcome, retcode, success]);
    }
    expect(seen).toEqual([
      [{ end: "failure", because: "ERROR: volume bad not found in pillar" }, 1, false],
      [
        { end: "failure", because: expect.stringMatching(/^Passed invalid arguments to metalk8s_volumes.device_info/) },
        1,
        false,
      ],
      [{ end: "failure", because: "device `/dev/none` not found" }, 1, false],
    ]);
  });

  test("what is asked at once is answered at once, in the function's own words", async () => {
    const { salt, minion } = at();
    const ran = await salt.run({ minion, fun: "metalk8s_volumes.device_name", kwarg: { path: "/dev/none" } });
    expect(ran).toEqual({ value: { success: false, result: "device `/dev/none` not found" } });
    const raised = await salt.run({ minion, fun: "metalk8s_volumes.device_info", kwarg: { name: "bad" } });
    expect(raised).toEqual({ value: "ERROR: volume bad not found in pillar" });
  });

  test("who is asked at once is waited for as long as it is at work", async () => {
    const { salt, minion } = at();
    const kwarg = { name: at().volume(), seconds: 4 };
    const ran = await salt.run({ minion, fun: "metalk8s_volumes.device_info", kwarg });
    expect(ran?.value).toMatchObject({ size: "1073741824" });
  });
}
