import type { output, ZodObject } from "zod";
import type { Clock } from "../clock.ts";
import type { SystemRequest, SystemTransport } from "./transport.ts";

/** A file of the system's Secret. */
export interface Credential {
  /** One sentence: what it is, and where an administrator gets it. */
  readonly doc: string;
  /** The system may be used without it. */
  readonly optional?: true;
}

/** What a client is built from. */
export interface SystemTools<Settings> {
  /** To the root that is set. */
  readonly transport: SystemTransport;
  /**
   * To another root of the same system, with the same credentials: for a system of which objects name the one that they
   * belong to. The same one each time it is asked for a root; nothing is opened before its first request.
   *
   * @param root an http or https URL without a slash at its end
   */
  readonly transportTo: (root: string) => SystemTransport;
  readonly clock: Clock;
  readonly settings: Settings;
  /**
   * A credential's text, trimmed, read again each time because Secrets are renewed in place; `undefined` where there is
   * none.
   */
  readonly credential: (name: string) => Promise<string | undefined>;
}

/**
 * An external system that rules look at and give commands to. From it derive the environment, the Secret, the egress
 * rule and the documentation of each function that names it among its `systems`.
 */
export interface ExternalSystem<Client = unknown, Schema extends ZodObject = ZodObject> {
  /** One word in lower case: the Secret is `holdfast-<name>`, mounted at `/etc/holdfast/<name>`. */
  readonly name: string;
  /** One sentence: what it is, and what is asked of it. */
  readonly doc: string;
  /**
   * Flat, as a rule's; each key begins with the system's name, because it becomes an environment variable (`saltUrl`:
   * `SALT_URL`). `<name>Url` is the system's root. A system whose users know its settings by other names has those.
   */
  readonly settings: Schema;
  /** The setting that is the system's root, where it is not `<name>Url`. */
  readonly url?: string;
  /** The files of the Secret, by name. The names `ca.crt`, `tls.crt` and `tls.key` are used for TLS. */
  readonly credentials: Readonly<Record<string, Credential>>;
  /** Which field of which objects names other roots than the setting, where one does: for the egress rule's comment. */
  readonly namedBy?: string;
  /** The ports that the egress rule opens. */
  readonly ports: readonly number[];
  /**
   * Whether a request that is no GET changes nothing all the same, as a login does: where people only ask, no other one
   * is sent.
   */
  onlyReads?(request: SystemRequest): boolean;
  /** Builds the client. No I/O before its first call, because most events end before it. */
  connect(tools: SystemTools<output<Schema>>): Client;
}

/** Declares a system; exists for the types it infers. */
export function system<Client, Schema extends ZodObject>(
  declaration: ExternalSystem<Client, Schema>,
): ExternalSystem<Client, Schema> {
  return declaration;
}

/** The systems of a rule, by the names under which `look` and commands get their clients. */
// biome-ignore lint/suspicious/noExplicitAny: settings stand on both sides of a function, so nothing else fits all.
export type Systems = Readonly<Record<string, ExternalSystem<any, any>>>;

/** The clients of a rule's systems, by the same names. */
export type ClientsOf<Used extends Systems> = {
  readonly [Name in keyof Used]: Used[Name] extends ExternalSystem<infer Client, infer _> ? Client : never;
};

/** The setting that is a system's root. */
export const urlSettingOf = ({ name, url = `${name}Url` }: Pick<ExternalSystem, "name" | "url">): string => url;
