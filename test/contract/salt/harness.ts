import { expect } from "vitest";
import { type Salt, saltClient } from "../../../functions/volume/lib/salt/client.ts";
import { newJid } from "../../../functions/volume/lib/salt/jid.ts";
import type { JobRecord } from "../../../functions/volume/lib/salt/job.ts";
import { exchangeWith } from "../../../shared/system/exchange.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import type { SystemRequest, SystemResponse } from "../../../shared/system/transport.ts";
import type { SaltUnderTest } from "./salt-under-test.ts";

/** What the cases need of a Salt under test. */
export interface Harness {
  readonly under: SaltUnderTest;
  /** The product's own client. */
  readonly salt: Salt;
  readonly minion: string;
  readonly otherMinion: string;
  /** An id that was never used. */
  jid(): string;
  /** A name of a volume that was never used. */
  volume(): string;
  /** One request without the client; with a token when one is given. */
  send(request: Partial<SystemRequest>, token?: string): Promise<SystemResponse>;
  /** Logs in without the client. */
  token(username?: string): Promise<string>;
  /** What GET /jobs answers for a job, without the client. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are of every shape.
  info(jid: string): Promise<any>;
  pass(seconds: number): Promise<void>;
  /** How often a volume's function was started on a minion. */
  starts(volume: string, minion?: string): Promise<number>;
  /** Waits until a job has ended, and returns its outcome. */
  ended(jid: string, minion?: string): Promise<Extract<JobRecord, { state: "ended" }>["outcome"]>;
  /** Waits until a minion answers. */
  listening(minion: string): Promise<void>;
}

let used = 0;

/** The harness for a Salt under test. */
export function harnessFor(under: SaltUnderTest): Harness {
  const { account, clock, transport } = under;
  const [minion, otherMinion] = under.minions;
  const client = saltClient(exchangeWith("Salt", transport, clock, 10_000), {
    ...account,
    credential: async (name) => (name === "password" ? account.password : undefined),
  });
  // Each call waits by itself: on a virtual clock nothing else makes time pass.
  const salt: Salt = {
    spawn: (job) => under.settled(client.spawn(job)),
    readJob: (jid, minion) => under.settled(client.readJob(jid, minion)),
    findJob: (jid, minion) => under.settled(client.findJob(jid, minion)),
    lookAtJob: (jid, minion) => under.settled(client.lookAtJob(jid, minion)),
    run: (call) => under.settled(client.run(call)),
  };
  const send: Harness["send"] = ({ method = "POST", path = "/", headers, body }, token) =>
    under.settled(
      transport({
        method,
        path,
        headers: { ...json, ...(token === undefined ? {} : { "x-auth-token": token }), ...headers },
        ...(body === undefined ? {} : { body }),
      }),
    );
  const token = async (username = account.username) => {
    const { body } = await send({ path: "/login", body: JSON.stringify({ ...account, username }) });
    return JSON.parse(body).return[0].token as string;
  };
  const pass = (seconds: number) => under.settled(clock.sleep(seconds * 1000));

  /** Asks until there is an answer, for at most a minute. */
  async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    const end = clock.now() + 60_000;
    for (;;) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      if (clock.now() > end) throw new Error(`${what}: not within a minute.`);
      await pass(0.2);
    }
  }

  return {
    under,
    salt,
    minion,
    otherMinion,
    jid: () => newJid(clock.now(), Math.random),
    volume: () => `v-${clock.now()}-${++used}`,
    send,
    token,
    info: async (jid) => JSON.parse((await send({ method: "GET", path: `/jobs/${jid}` }, await token())).body).info[0],
    pass,
    async starts(volume, on = minion) {
      const ran = await salt.run({ minion: on, fun: "metalk8s_volumes.device_name", kwarg: { path: volume } });
      if (!ran) throw new Error(`${on} did not answer how often ${volume} was started.`);
      const { success, result } = ran.value as { success: boolean; result: string };
      return success ? Number(result) : 0;
    },
    ended: (jid, on = minion) =>
      until(`the end of job ${jid}`, async () => {
        const record = await salt.readJob(jid, on);
        return record.state === "ended" ? record.outcome : undefined;
      }),
    listening: (on) =>
      until(`an answer of ${on}`, async () => {
        // A master that starts makes salt-api answer with 500 for a moment.
        const whereabouts = await salt.findJob(noJob, on).catch(unlessUnreachable);
        return whereabouts === "absent" ? true : undefined;
      }).then(() => {}),
  };
}

const noJob = "20260101000000000000";

function unlessUnreachable(error: unknown): undefined {
  if (!(error instanceof SystemError) || error.failure !== "unreachable") throw error;
}

const json = { accept: "application/json", "content-type": "application/json" };

/** What a page of salt-api says. */
export function said(response: SystemResponse): string {
  expect(response.headers["content-type"]).toBe("text/html;charset=utf-8");
  return /<p>(.*?)<\/p>/s.exec(response.body)?.[1] ?? response.body;
}
