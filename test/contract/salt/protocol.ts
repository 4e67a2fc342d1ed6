import { describe, expect, test } from "vitest";
import { defaultPatience, type NextStep, nextStep } from "../../../functions/volume/lib/salt/job.ts";
import type { Harness } from "./harness.ts";

// Short, because one who tests a real Salt waits for it.
const patience = { ...defaultPatience, grace: 4000, soonest: 1000 };

/** What was done about one piece of work until it came to its end. */
interface Followed {
  readonly end: Extract<NextStep, { do: "settle" | "give up" }>;
  /** Each step but waiting. */
  readonly steps: readonly NextStep["do"][];
  readonly jids: readonly string[];
}

/** The protocol with its memory, as a rule has it, from the first post on. */
async function follow(
  { under: { clock }, salt, minion, jid: newJid, pass }: Harness,
  work: { readonly fun: string; readonly kwarg: Readonly<Record<string, unknown>> },
  { lost = false, meanwhile }: { lost?: boolean; meanwhile?: (jid: string) => Promise<void> } = {},
): Promise<Followed> {
  const steps: NextStep["do"][] = [];
  const jids: string[] = [];
  let attempt = 1;
  const begin = () => {
    const now = clock.now();
    jids.push(newJid());
    return { jid: jids.at(-1) as string, since: now, posted: now, reposted: false, attempt };
  };
  let job = begin();
  const post = () => salt.spawn({ jid: job.jid, minion, ...work });
  if (!lost) await post();
  await meanwhile?.(job.jid);
  for (let looks = 0; looks < 200; looks++) {
    const step = nextStep({ ...job, ...(await salt.lookAtJob(job.jid, minion)) }, clock.now(), patience);
    if (step.do !== "wait") steps.push(step.do);
    switch (step.do) {
      case "settle":
      case "give up":
        return { end: step, steps, jids };
      case "wait":
        await pass((step.at - clock.now()) / 1000);
        continue;
      case "again":
        await pass((step.at - clock.now()) / 1000);
        break;
      case "renew":
        attempt++;
    }
    job =
      step.do === "post" || step.do === "repost"
        ? { ...job, posted: clock.now(), reposted: step.do === "repost" }
        : begin();
    await post();
  }
  throw new Error(`There is no end: ${steps.join(", ")}.`);
}

/** Whatever happens to a job, following the protocol brings its outcome. */
export function protocol(at: () => Harness): void {
  const fun = "metalk8s_volumes.device_info";
  const success = { do: "settle", outcome: { end: "success" } };

  describe("the protocol", () => {
    test("nothing happens to a job: it is posted once", async () => {
      const volume = at().volume();
      const { end, steps } = await follow(at(), { fun, kwarg: { name: volume, seconds: 2 } });
      expect([end, steps, await at().starts(volume)]).toMatchObject([success, ["settle"], 1]);
    });

    test("the first post was lost: it is posted again", async () => {
      const volume = at().volume();
      const { end, steps, jids } = await follow(at(), { fun, kwarg: { name: volume } }, { lost: true });
      expect([end, steps, jids.length]).toMatchObject([success, ["post", "settle"], 1]);
      expect(await at().starts(volume)).toBe(1);
    });

    test("states run on the minion: it comes back with another id, as the same attempt", async () => {
      const { salt, minion } = at();
      const [volume, other] = [at().volume(), at().volume()];
      const states = (volume: string, seconds: number) => ({
        fun: "state.sls",
        kwarg: { mods: "metalk8s.volumes", pillar: { volume, volume_seconds: seconds } },
      });
      await salt.spawn({ jid: at().jid(), minion, ...states(other, 5) });
      await at().pass(1.5);
      const { end, steps, jids } = await follow(at(), states(volume, 0));
      expect(end).toMatchObject(success);
      expect(new Set(steps)).toEqual(new Set(["again", "settle"]));
      expect(new Set(jids).size).toBe(steps.length);
      expect(await at().starts(`good-${volume}`)).toBe(1);
    });

    test("states fail: that is the end of it", async () => {
      const kwarg = { mods: "metalk8s.volumes", pillar: { volume: "bad" } };
      const { end, steps } = await follow(at(), { fun: "state.sls", kwarg });
      expect([end, steps]).toEqual([{ do: "settle", outcome: { end: "failure", because: "Failure!" } }, ["settle"]]);
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
      const { end, steps, jids } = await follow(at(), { fun, kwarg: { name: volume, seconds: 3 } }, { meanwhile });
      expect([end, steps, jids.length]).toMatchObject([success, ["repost", "settle"], 1]);
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
      const { end, steps, jids } = await follow(at(), { fun, kwarg: { name: volume, seconds: 10 } }, { meanwhile });
      expect([end, steps, jids.length]).toMatchObject([success, ["repost", "renew", "settle"], 2]);
      expect(await at().starts(volume)).toBe(2);
    });
  });
}
