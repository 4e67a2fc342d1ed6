import { describe, expect, test } from "vitest";
import {
  defaultPatience,
  type Job,
  type JobAction,
  nextJobAction,
} from "../../../functions/volume/run-job/next-job-action.ts";
import type { Harness } from "./harness.ts";

// Short, because one who tests a real Salt waits for it.
const patience = { ...defaultPatience, grace: 4000, soonest: 1000 };

/** What was done about one piece of work until it came to its end. */
interface Followed {
  readonly end: Extract<JobAction, { do: "succeed" | "fail" }>;
  /** Each action but waiting. */
  readonly actions: readonly string[];
  readonly jids: readonly string[];
}

/** The protocol with its memory, as a rule has it, from the first post on. */
async function follow(
  { under: { clock }, salt, minion, jid: newJid, pass }: Harness,
  work: { readonly fun: string; readonly kwarg: Readonly<Record<string, unknown>> },
  { lost = false, meanwhile }: { lost?: boolean; meanwhile?: (jid: string) => Promise<void> } = {},
): Promise<Followed> {
  const actions: string[] = [];
  const jids: string[] = [];
  const begin = (attempt: number): Job & { jid: string } => {
    const jid = newJid();
    jids.push(jid);
    return { jid, posted: clock.now(), reposted: false, attempt };
  };
  let job = begin(1);
  const post = () => salt.spawn({ jid: job.jid, minion, ...work });
  if (lost) await pass(patience.grace / 1000);
  else await post();
  await meanwhile?.(job.jid);
  for (let looks = 0; looks < 200; looks++) {
    const seen = { of: "job", ...(await salt.lookAtJob(job.jid, minion)) } as const;
    const action = nextJobAction(job, seen, clock.now(), patience);
    if (action.do !== "wait") actions.push(action.do);
    switch (action.do) {
      case "succeed":
      case "fail":
        return { end: action, actions, jids };
      case "wait":
        await pass((action.next - clock.now()) / 1000);
        continue;
      case "post":
        job = { ...job, posted: clock.now(), reposted: action.reposted };
        break;
      case "begin":
        job = begin(action.attempt);
    }
    await post();
  }
  throw new Error(`There is no end: ${actions.join(", ")}.`);
}

/** Following the protocol brings the outcome of a job in every case. */
export function protocol(at: () => Harness): void {
  const fun = "metalk8s_volumes.prepare";
  const success = { do: "succeed" };

  describe("the protocol", () => {
    test("nothing happens to a job: it is posted once", async () => {
      const volume = at().volume();
      const { end, actions } = await follow(at(), { fun, kwarg: { name: volume, seconds: 2 } });
      expect([end, actions, await at().starts(volume)]).toMatchObject([success, ["succeed"], 1]);
    });

    test("the first post was lost: it is posted again", async () => {
      const volume = at().volume();
      const { end, actions, jids } = await follow(at(), { fun, kwarg: { name: volume } }, { lost: true });
      expect([end, actions, jids.length]).toMatchObject([success, ["post", "succeed"], 1]);
      expect(await at().starts(volume)).toBe(1);
    });

    test("a function fails: that is the end of it", async () => {
      const { end, actions } = await follow(at(), { fun, kwarg: { name: "bad" } });
      expect([end, actions]).toEqual([{ do: "fail", message: "ERROR: volume bad is bad" }, ["fail"]]);
    });

    test("the minion goes down in the middle: the same id runs again", async ({ skip }) => {
      const { control } = at().under;
      if (!control) return skip("nothing can be stopped here: SALT_CONTROL is not set");
      const volume = at().volume();
      const meanwhile = async () => {
        await at().pass(1);
        await control.kill(at().minion);
        await control.start(at().minion);
      };
      const { end, actions, jids } = await follow(at(), { fun, kwarg: { name: volume, seconds: 3 } }, { meanwhile });
      expect([end, actions, jids.length]).toMatchObject([success, ["post", "succeed"], 1]);
      expect(await at().starts(volume)).toBe(2);
    });

    test("the job alone is killed: only another id brings an outcome", async ({ skip }) => {
      const { control } = at().under;
      if (!control) return skip("nothing can be stopped here: SALT_CONTROL is not set");
      const volume = at().volume();
      const meanwhile = async (jid: string) => {
        await at().pass(1.5);
        await control.killJob(jid, at().minion);
      };
      const { end, actions, jids } = await follow(at(), { fun, kwarg: { name: volume, seconds: 10 } }, { meanwhile });
      expect([end, actions, jids.length]).toMatchObject([success, ["post", "begin", "succeed"], 2]);
      expect(await at().starts(volume)).toBe(2);
    });
  });
}
