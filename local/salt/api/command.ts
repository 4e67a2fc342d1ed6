import * as z from "zod";
import type { Clock } from "../../../shared/clock.ts";
import type { SystemResponse } from "../../../shared/system/transport.ts";
import { json } from "../../system-server/json.ts";
import type { Master } from "../master.ts";
import type { Published } from "../minion/minion.ts";
import { page } from "./page.ts";
import { mayCall } from "./rights.ts";
import type { Login } from "./sessions.ts";

const commandSchema = z.looseObject({
  tgt: z.string(),
  fun: z.string(),
  arg: z.union([z.array(z.unknown()), z.string()]).default([]),
  kwarg: z.record(z.string(), z.unknown()).default({}),
  jid: z.string().optional(),
  metadata: z.unknown().optional(),
  timeout: z.number().default(5),
  gather_job_timeout: z.number().default(10),
  full_return: z.boolean().default(false),
});

/** Carries out one command of `POST /` for who is logged in. `newJid` makes the ids of jobs that come without one. */
export async function carryOut(
  body: string,
  { rights }: Login,
  master: Master,
  clock: Clock,
  newJid: () => string,
): Promise<SystemResponse> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return page(400, "Invalid JSON document");
  }
  const [chunk] = Array.isArray(value) ? value : [value];
  if (chunk === undefined) return json({ return: [] });
  const client = (chunk as { client?: unknown }).client;
  if (client !== "local" && client !== "local_async")
    return page(400, `Invalid client specified: '${client === undefined ? "None" : client}'`);
  const read = commandSchema.safeParse(chunk);
  if (!read.success) return json({ status: 500, return: "An unexpected error occurred" }, 500);
  const { tgt, fun, kwarg, metadata, jid = newJid(), ...command } = read.data;
  if (!mayCall(rights, fun)) return page(401, "Authorization error occurred.");
  const arg = typeof command.arg === "string" ? [command.arg] : command.arg;
  const job: Published = { jid, fun, arg, kwarg, ...(metadata === undefined ? {} : { metadata }) };
  const minions = master.publish(job, tgt);
  if (client === "local_async") return json({ return: [minions.length > 0 ? { jid, minions } : {}] });
  const returns = await Promise.all(minions.map((minion) => wait(minion, jid)));
  return json({ return: [Object.fromEntries(minions.map((minion, place) => [minion, returns[place]]))] });

  /** What `local` answers for a minion: its return, or the master's own words where the minion is gone. */
  async function wait(minion: string, jid: string): Promise<unknown> {
    for (let waited = 0; ; waited += step) {
      const returned = master.returned(jid, minion);
      if (returned) {
        const { return: ret, success: _, ...rest } = returned as typeof returned & { success: boolean };
        return command.full_return ? { ret, ...rest, jid } : ret;
      }
      const patience = (command.timeout + command.gather_job_timeout) * 1000;
      // What a minion missed it will not run either when it is back.
      if (waited >= patience && !master.minions.get(minion)?.runs(jid)) break;
      await clock.sleep(step);
    }
    const ret =
      "Minion did not return. [No response]\nThe minions may not have all finished running and any remaining minions " +
      "will return upon completion. To look up the return data for this job later, run the following command:\n\n" +
      `salt-run jobs.lookup_jid ${jid}`;
    return command.full_return ? { out: "no_return", ret, retcode: 1 } : ret;
  }
}

/** Milliseconds between two looks for a return. */
const step = 50;
