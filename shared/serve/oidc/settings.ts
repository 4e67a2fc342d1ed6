import { SettingsError } from "../../settings.ts";

/** Whose events a function takes. */
export interface OidcSettings {
  /** What a token must be meant for: the `audience` that Triggers and the PingSource name. */
  readonly audience: string;
  /** Subjects that may send; one that ends in `*` stands for all that begin with what comes before it. */
  readonly senders: readonly string[];
}

/**
 * Reads `OIDC_AUDIENCE`, and `OIDC_SENDERS` with `OIDC_MORE_SENDERS`, which an administrator adds for Triggers that are
 * not Holdfast's (each separated by commas). Without an audience events are taken from everybody: answers `undefined`.
 *
 * @throws SettingsError when there is one without the other, because half a lock is none.
 */
export function readOidcSettings(environment: Readonly<Record<string, string | undefined>>): OidcSettings | undefined {
  const { OIDC_AUDIENCE: audience = "", OIDC_SENDERS: own = "", OIDC_MORE_SENDERS: more = "" } = environment;
  const senders = `${own},${more}`
    .split(",")
    .map((sender) => sender.trim())
    .filter(Boolean);
  if (!audience && senders.length === 0) return undefined;
  if (!audience)
    throw new SettingsError(`The senders of OIDC are "${senders}", and OIDC_AUDIENCE is empty: set both or neither.`);
  if (senders.length === 0)
    throw new SettingsError(`OIDC_AUDIENCE is "${audience}", and OIDC_SENDERS is empty: set both or neither.`);
  const fault = senders.find((sender) => !/^[^*\s]+\*?$/.test(sender) || sender === "*");
  if (fault)
    throw new SettingsError(
      `OIDC_SENDERS or OIDC_MORE_SENDERS has ${JSON.stringify(fault)}: write an account without spaces. Behind its ` +
        'first character, it may end in one "*".',
    );
  return { audience, senders };
}
