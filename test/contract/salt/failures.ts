import { expect, test } from "vitest";
import type { Harness } from "./harness.ts";

/** In what words jobs fail. */
export function failures(at: () => Harness): void {
  test("a function that raises, one that is called wrongly, and one that says itself that it failed", async () => {
    const { salt, minion } = at();
    const calls = [
      { fun: "metalk8s_volumes.prepare", kwarg: { name: "bad" } },
      { fun: "metalk8s_volumes.prepare", kwarg: {} },
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
      [{ end: "failure", message: "ERROR: volume bad is bad" }, 1, false],
      [
        { end: "failure", message: expect.stringMatching(/^Passed invalid arguments to metalk8s_volumes.prepare/) },
        1,
        false,
      ],
      [{ end: "failure", message: "device `/dev/none` not found" }, 1, false],
    ]);
  });

  test("what is asked at once is answered at once, in the function's own words", async () => {
    const { salt, minion } = at();
    const ran = await salt.run({ minion, fun: "metalk8s_volumes.device_name", kwarg: { path: "/dev/none" } });
    expect(ran).toEqual({ value: { success: false, result: "device `/dev/none` not found" } });
    const raised = await salt.run({ minion, fun: "metalk8s_volumes.prepare", kwarg: { name: "bad" } });
    expect(raised).toEqual({ value: "ERROR: volume bad is bad" });
  });

  test("who is asked at once is waited for as long as it is at work", async () => {
    const { salt, minion } = at();
    const kwarg = { name: at().volume(), seconds: 4 };
    const ran = await salt.run({ minion, fun: "metalk8s_volumes.prepare", kwarg });
    expect(ran?.value).toMatchObject({ size: "1073741824" });
  });
}
