import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";
import type { SystemRequest, SystemResponse } from "../../shared/system/transport.ts";
import { json } from "../system-server/json.ts";
import { carryOut } from "./api/command.ts";
import { page } from "./api/page.ts";
import { mayRun, type Rights } from "./api/rights.ts";
import { createSessions, type Login } from "./api/sessions.ts";
import { createMaster, type JobReturned } from "./master.ts";
import type { MinionFunction } from "./minion/function.ts";
import { createMinion, type Minion } from "./minion/minion.ts";

/** What a stand-in for Salt consists of. */
export interface SaltOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The functions of each minion's execution modules, by the minion's id. */
  readonly minions: Readonly<Record<string, Readonly<Record<string, MinionFunction>>>>;
  /** Accounts with their rights, and the one password of all of them. */
  readonly accounts: Readonly<Record<string, Rights>>;
  readonly password: string;
  /** Called when a job has returned while the master is up. */
  readonly onReturn?: (event: JobReturned) => void;
  /** Seconds that a token is good for: 12 hours by default. */
  readonly tokenExpire?: number;
}

/**
 * Salt on a clock of its own: a master, minions, and salt-api before them. `name` is `master`, `api` or a minion's id.
 */
export type SaltStandIn = ReturnType<typeof createSalt>;

/** Milliseconds that an answer takes, and a login with a wrong password. */
const latency = 50;
const afterWrongPassword = 1200;
/** Milliseconds that a master and a salt-api take to start. */
const starting = 2000;

/** Starts one, with everything up. */
export function createSalt(options: SaltOptions) {
  const { clock, random, accounts, password, onReturn = () => {}, tokenExpire = 43_200 } = options;
  const sessions = createSessions(clock, random);
  const states = { master: "up" as State, api: "up" as State };
  const minions = new Map<string, Minion>();
  // What a minion returns to a master that is away never arrives, also when the master is back.
  const master = createMaster(minions, clock, onReturn);
  for (const [id, functions] of Object.entries(options.minions))
    minions.set(
      id,
      createMinion(id, functions, clock, (returned) => {
        if (states.master === "up") master.take(returned);
      }),
    );
  let jobs = 0;
  const newJid = () => jidAt(clock.now(), ++jobs);

  async function answer(request: SystemRequest): Promise<SystemResponse | "never"> {
    const path = request.path.split("?")[0] ?? "";
    if (request.method === "POST" && path === "/login") return asMaster(() => logIn(request.body ?? ""));
    const login = sessions.whose(request.headers["x-auth-token"]);
    if (!login) return page(401, "No permission -- see authorization schemes");
    return asMaster(() => {
      if (login === "expired") return page(401, 'Authentication failure of type "token" occurred.');
      if (request.method === "POST" && path === "/") return carryOut(request.body ?? "", login, master, clock, newJid);
      const jid = request.method === "GET" && /^\/jobs\/([^/]+)$/.exec(path)?.[1];
      if (!jid) return page(404, "The path was not found.");
      return showJob(decodeURIComponent(jid), login);
    });
  }

  /** While the master is away salt-api waits for it, and goes on waiting for the answer to what was under way. */
  async function asMaster(ask: () => Promise<SystemResponse> | SystemResponse): Promise<SystemResponse | "never"> {
    if (states.master === "starting") return json({ status: 500, return: "An unexpected error occurred" }, 500);
    if (states.master === "down") return "never";
    const response = await ask();
    return states.master === "up" ? response : "never";
  }

  async function logIn(body: string): Promise<SystemResponse> {
    let given: Record<string, unknown>;
    try {
      given = JSON.parse(body);
    } catch {
      return page(400, "Invalid JSON document");
    }
    if (given.password !== password) {
      await clock.sleep(afterWrongPassword);
      return page(401, "Could not authenticate using provided credentials");
    }
    const username = String(given.username);
    const rights = accounts[username] ?? [];
    const token = sessions.open({ username, rights, expire: clock.now() + tokenExpire * 1000 });
    // An account that is not listed is let in, too, and may do nothing.
    return json({ return: [{ token, perms: rights.length > 0 ? rights : {} }] });
  }

  function showJob(jid: string, { username, rights }: Login): SystemResponse {
    if (!mayRun(rights, "jobs"))
      return page(401, `Authentication failure of type "token" occurred for user ${username}.`);
    return json({ info: [master.show(jid)] });
  }

  function begin(name: "master" | "api", up: () => void) {
    if (states[name] !== "down") return;
    states[name] = "starting";
    clock.after(starting, () => {
      if (states[name] !== "starting") return;
      states[name] = "up";
      up();
    });
  }

  return {
    async transport(request: SystemRequest): Promise<SystemResponse> {
      request.signal?.throwIfAborted();
      await clock.sleep(latency, request.signal);
      if (states.api !== "up") throw new Error("connect ECONNREFUSED");
      const response = await unlessAborted(answer(request), request.signal);
      if (states.api !== "up") throw new Error("read ECONNRESET");
      return response === "never" ? unlessAborted(new Promise<never>(() => {}), request.signal) : response;
    },
    /** Ends a process at once, and with a minion its jobs; of no effect when it is down. */
    stop(name: string) {
      if (name === "master" || name === "api") {
        states[name] = "down";
        if (name === "api") sessions.forget();
      } else minionOf(name).stop();
    },
    start(name: string) {
      if (name === "master")
        begin("master", () => {
          for (const minion of minions.values()) minion.reconnect();
        });
      else if (name === "api") begin("api", () => {});
      else minionOf(name).start();
    },
    /** Kills the process of one job; the minion lives on. */
    killJob: (jid: string, minion: string) => minionOf(minion).killJob(jid),
  };

  function minionOf(name: string): Minion {
    const minion = minions.get(name);
    if (!minion) throw new Error(`There is no minion ${name}.`);
    return minion;
  }
}

type State = "up" | "down" | "starting";

/** Rejects when a request is given up; what it began goes on without it. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** A job id as Salt makes one: the moment (UTC) down to the microsecond. */
function jidAt(now: number, microseconds: number): string {
  const moment = new Date(now).toISOString().slice(0, 23).replaceAll(/\D/g, "");
  return moment + String(microseconds % 1000).padStart(3, "0");
}
