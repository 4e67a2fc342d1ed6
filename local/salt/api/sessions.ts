import type { Random } from "../../../eventing/random.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { Rights } from "./rights.ts";

/** A login that was accepted. */
export interface Login {
  readonly username: string;
  readonly rights: Rights;
  /** Milliseconds since the epoch. */
  readonly expire: number;
}

/** The tokens that a salt-api has given out, in its memory: after a restart it knows none of them. */
export function createSessions(clock: Clock, random: Random) {
  const logins = new Map<string, Login>();
  return {
    open(login: Login) {
      const token = (random.uuid() + random.uuid()).replaceAll("-", "").slice(0, 40);
      logins.set(token, login);
      return token;
    },
    /** Whose a token is; `expired` where the master has ended it, `undefined` where it is unknown. */
    whose(token: string | undefined) {
      const login = logins.get(token ?? "");
      return login && clock.now() >= login.expire ? "expired" : login;
    },
    forget: () => logins.clear(),
  };
}
