import { expect, test } from "vitest";
import type { Harness } from "./harness.ts";

const device = { size: "1073741824", path: expect.stringMatching(/^\/dev\/disk\/by-uuid\/v-/) };
const fun = "metalk8s_volumes.prepare";

/** A job from its post to its outcome, and the same id more than once. */
export function jobs(at: () => Harness): void {
  test("a job runs, is found, ends, and is found no more", async () => {
    const { salt, minion } = at();
    const [jid, volume] = [at().jid(), at().volume()];
    await salt.spawn({ jid, minion, fun, kwarg: { name: volume, seconds: 6 }, metadata: { volume } });
    await at().pass(0.7);
    expect(await salt.lookAtJob(jid, minion)).toEqual({ record: { state: "pending" }, whereabouts: "running" });
    expect(await at().info(jid)).toMatchObject({ jid, Result: {} });
    expect(await at().ended(jid)).toEqual({ end: "success", value: device });
    expect((await at().info(jid)).Result).toEqual({ [minion]: { return: device, retcode: 0, success: true } });
    expect(await salt.findJob(jid, minion)).toBe("absent");
  });

  test("an id runs once, posted while it runs and after its end", async () => {
    const { salt, minion } = at();
    const [jid, volume] = [at().jid(), at().volume()];
    const job = { jid, minion, fun, kwarg: { name: volume, seconds: 1 } };
    await salt.spawn(job);
    await salt.spawn(job);
    await at().ended(jid);
    await salt.spawn(job);
    await at().pass(1.5);
    expect(await at().starts(volume)).toBe(1);
  });

  test("an id runs once, posted twelve times at once", async () => {
    const { salt, minion } = at();
    const [jid, volume] = [at().jid(), at().volume()];
    await Promise.all(Array.from({ length: 12 }, () => salt.spawn({ jid, minion, fun, kwarg: { name: volume } })));
    await at().ended(jid);
    await at().pass(1);
    expect(await at().starts(volume)).toBe(1);
  });

  test("the same id for something else is not run, and the first result stays", async () => {
    const { salt, minion } = at();
    const [jid, volume, other] = [at().jid(), at().volume(), at().volume()];
    await salt.spawn({ jid, minion, fun, kwarg: { name: volume }, metadata: { which: "first" } });
    const first = await at().ended(jid);
    await salt.spawn({
      jid,
      minion,
      fun: "metalk8s_volumes.device_name",
      kwarg: { path: other },
      metadata: { which: "second" },
    });
    await at().pass(1);
    expect(await salt.readJob(jid, minion)).toEqual({ state: "ended", outcome: first });
  });

  test("the same id on two minions runs on each, and each has its own result", async () => {
    const { salt, minion, otherMinion } = at();
    const [jid, volume, other] = [at().jid(), at().volume(), at().volume()];
    await salt.spawn({ jid, minion, fun, kwarg: { name: volume } });
    await at().ended(jid);
    await salt.spawn({ jid, minion: otherMinion, fun, kwarg: { name: other, seconds: 5 } });
    expect(await salt.readJob(jid, otherMinion)).toEqual({ state: "pending" });
    await at().ended(jid, otherMinion);
    const { Result } = await at().info(jid);
    expect([Result[minion].return.path, Result[otherMinion].return.path]).toEqual([
      `/dev/disk/by-uuid/${volume}`,
      `/dev/disk/by-uuid/${other}`,
    ]);
  });

  test("after a hundred and one other jobs a minion has forgotten an id", async () => {
    const { salt, minion } = at();
    const [jid, volume] = [at().jid(), at().volume()];
    const job = { jid, minion, fun, kwarg: { name: volume } };
    await salt.spawn(job);
    await at().ended(jid);
    let last = "";
    for (let count = 0; count < 101; count++) {
      last = at().jid();
      await salt.spawn({ jid: last, minion, fun: "metalk8s_volumes.device_name", kwarg: { path: "none" } });
    }
    await at().ended(last);
    await salt.spawn(job);
    await at().pass(1.5);
    expect(await at().starts(volume)).toBe(2);
  });
}
