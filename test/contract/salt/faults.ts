import { describe, expect, test } from "vitest";
import type { Harness } from "./harness.ts";
import { said } from "./harness.ts";
import type { SaltControl } from "./salt-under-test.ts";

const fun = "metalk8s_volumes.prepare";

/** What becomes of jobs when something goes down or is killed. */
export function faults(at: () => Harness): void {
  describe("faults", () => {
    const lasting = (volume: string, seconds: number) => ({ fun, kwarg: { name: volume, seconds } });
    const control = (skip: (condition: boolean, why: string) => void): SaltControl => {
      skip(!at().under.control, "nothing can be stopped here: SALT_CONTROL is not set");
      return at().under.control as SaltControl;
    };
    const back = async (name: string) => {
      await at().under.control?.start(name);
      await at().listening(at().minion);
    };

    test("what is published while a minion is down is never run, until the same id is posted again", async ({
      skip,
    }) => {
      const { stop } = control(skip);
      const { salt, minion } = at();
      const [jid, volume] = [at().jid(), at().volume()];
      await stop(minion);
      await salt.spawn({ jid, minion, fun, kwarg: { name: volume } });
      expect(await salt.lookAtJob(jid, minion)).toEqual({ record: { state: "pending" }, whereabouts: "unreachable" });
      await back(minion);
      await at().pass(3);
      expect(await salt.lookAtJob(jid, minion)).toEqual({ record: { state: "pending" }, whereabouts: "absent" });
      await salt.spawn({ jid, minion, fun, kwarg: { name: volume } });
      expect(await at().ended(jid)).toMatchObject({ end: "success" });
      expect(await at().starts(volume)).toBe(1);
    });

    test("a minion that does not answer is spoken for by the master, in a text", async ({ skip }) => {
      const { kill } = control(skip);
      const { minion } = at();
      await kill(minion);
      const command = {
        client: "local",
        tgt: minion,
        fun: "saltutil.find_job",
        arg: [at().jid()],
        timeout: 1,
        gather_job_timeout: 1,
      };
      const token = await at().token();
      const ask = async (rest: object) =>
        JSON.parse((await at().send({ body: JSON.stringify({ ...command, ...rest }) }, token)).body).return[0][minion];
      const text = expect.stringMatching(/^Minion did not return\. \[No response\]\n/);
      expect(await ask({})).toEqual(text);
      expect(await ask({ full_return: true })).toEqual({ out: "no_return", ret: text, retcode: 1 });
      expect(
        await at().salt.run({ minion, fun: "metalk8s_volumes.device_name", kwarg: { path: "x" } }),
      ).toBeUndefined();
      await back(minion);
    });

    test("a job goes down with its minion, and is run again when the same id is posted", async ({ skip }) => {
      const { kill } = control(skip);
      const { salt, minion } = at();
      const [jid, volume] = [at().jid(), at().volume()];
      await salt.spawn({ jid, minion, ...lasting(volume, 3) });
      await at().pass(1);
      await kill(minion);
      await back(minion);
      await at().pass(4);
      expect(await salt.lookAtJob(jid, minion)).toEqual({ record: { state: "pending" }, whereabouts: "absent" });
      await salt.spawn({ jid, minion, ...lasting(volume, 0) });
      expect(await at().ended(jid)).toMatchObject({ end: "success" });
      expect(await at().starts(volume)).toBe(2);
    });

    test("a minion that was restarted runs an id again, and the first result is kept", async ({ skip }) => {
      const { stop } = control(skip);
      const { salt, minion } = at();
      const [jid, volume, other] = [at().jid(), at().volume(), at().volume()];
      await salt.spawn({ jid, minion, fun, kwarg: { name: volume } });
      const first = await at().ended(jid);
      await stop(minion);
      await back(minion);
      await salt.spawn({ jid, minion, fun, kwarg: { name: other } });
      await at().pass(2);
      expect([await at().starts(volume), await at().starts(other)]).toEqual([1, 1]);
      expect(await salt.readJob(jid, minion)).toEqual({ state: "ended", outcome: first });
    });

    test("a job that alone is killed has no outcome, and its id is swallowed for ever", async ({ skip }) => {
      const { killJob } = control(skip);
      const { salt, minion } = at();
      const [jid, next, volume] = [at().jid(), at().jid(), at().volume()];
      await salt.spawn({ jid, minion, ...lasting(volume, 30) });
      await at().pass(1.5);
      expect(await salt.findJob(jid, minion)).toBe("running");
      await killJob(jid, minion);
      await at().pass(1);
      await salt.spawn({ jid, minion, fun, kwarg: { name: volume } });
      await at().pass(3);
      expect(await salt.lookAtJob(jid, minion)).toEqual({ record: { state: "pending" }, whereabouts: "absent" });
      expect(await at().starts(volume)).toBe(1);
      await salt.spawn({ jid: next, minion, fun, kwarg: { name: volume } });
      expect(await at().ended(next)).toMatchObject({ end: "success" });
    });

    test("while the master is down salt-api answers nothing, and what it was asked is not done later", async ({
      skip,
    }) => {
      const { stop } = control(skip);
      const { salt, minion } = at();
      const [jid, volume] = [at().jid(), at().volume()];
      await salt.readJob(jid, minion);
      await stop("master");
      await expect(salt.spawn({ jid, minion, fun, kwarg: { name: volume } })).rejects.toMatchObject({
        failure: "unreachable",
        message: expect.stringContaining("did not answer within 10 s"),
      });
      await back("master");
      await at().pass(5);
      expect(await salt.readJob(jid, minion)).toEqual({ state: "unknown" });
      expect(await at().starts(volume)).toBe(0);
    });

    test("a job that ends while the master is away has no outcome, and its id is swallowed", async ({ skip }) => {
      const { stop } = control(skip);
      const { salt, minion } = at();
      const [jid, volume] = [at().jid(), at().volume()];
      await salt.spawn({ jid, minion, ...lasting(volume, 3) });
      await at().pass(0.5);
      await stop("master");
      await at().pass(6);
      await back("master");
      await at().pass(15);
      expect(await salt.lookAtJob(jid, minion)).toEqual({ record: { state: "pending" }, whereabouts: "absent" });
      await salt.spawn({ jid, minion, ...lasting(volume, 0) });
      await at().pass(3);
      expect(await salt.readJob(jid, minion)).toEqual({ state: "pending" });
      expect(await at().starts(volume)).toBe(1);
    });

    test("a job that outlasts the master's absence returns, and its id is still known to the minion", async ({
      skip,
    }) => {
      const { stop } = control(skip);
      const { salt, minion } = at();
      const [jid, volume] = [at().jid(), at().volume()];
      await salt.spawn({ jid, minion, ...lasting(volume, 45) });
      await at().pass(0.5);
      await stop("master");
      await back("master");
      expect(await salt.findJob(jid, minion)).toBe("running");
      expect(await at().ended(jid)).toMatchObject({ end: "success" });
      await salt.spawn({ jid, minion, ...lasting(volume, 45) });
      await at().pass(2);
      expect(await at().starts(volume)).toBe(1);
    });

    test("a restart of salt-api makes its tokens unknown, and one of the master does not", async ({ skip }) => {
      const { stop, start } = control(skip);
      const { salt, minion } = at();
      const jid = at().jid();
      await salt.readJob(jid, minion);
      const token = await at().token();
      const ask = () => at().send({ method: "GET", path: `/jobs/${jid}` }, token);
      await stop("master");
      await back("master");
      expect((await ask()).status).toBe(200);
      await stop("api");
      await start("api");
      await at().pass(5);
      const response = await ask();
      expect([response.status, said(response)]).toEqual([401, "No permission -- see authorization schemes"]);
      expect(await salt.readJob(jid, minion)).toEqual({ state: "unknown" });
    });
  });
}
