import type { Random } from "../../../eventing/random.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { Rights } from "./rights.ts";

/** A login that was accepted. */
export interface Login {
  readonly username: string;
  readonly rights: Rights;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly expire: number;
}

/** The tokens that salt-api has given out. It keeps them in its memory: after a restart it knows none of them. */
export interface Sessions {
  open(login: Login): string;
  /** Whose a token is; `expired` where the master has ended it, `undefined` where it is unknown. */
  whose(token: string | undefined): Login | "expired" | undefined;
  forget(): void;
}

/** Sessions of a salt-api that has just started. */
export function createSessions(clock: Clock, random: Random): Sessions {
  const logins = new Map<string, Login>();
  return {
    open(login) {
      const token = (random.uuid() + random.uuid()).replaceAll("-", "").slice(0, 40);
      logins.set(token, login);
      return token;
    },
    whose(token) {
      const login = logins.get(token ?? "");
      return login && clock.now() >= login.expire ? "expired" : login;
    },
    forget: () => logins.clear(),
  };
}
