import { UserError } from "../../../shared/command/user-error.ts";
import { isDigest } from "./descriptor.ts";

/** Where images lie: a registry's host with its port, and a path in it. */
export interface Repository {
  /** As people write it and credentials are kept under, e.g. `registry.example:5000`, `docker.io`. */
  readonly host: string;
  readonly path: string;
}

/** A repository with a tag or a digest in it. */
export interface Reference extends Repository {
  readonly tag?: string;
  readonly digest?: string;
}

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const pathPattern = new RegExp(`^${component}(?:/${component})*$`);
const hostPattern = /^(?:[\w.-]+|\[[0-9a-fA-F:]+\])(?::\d+)?$/;
const tagPattern = /^\w[\w.-]{0,127}$/;

/** Whether a text may be a tag. */
export const isTag = (text: string) => tagPattern.test(text);

/**
 * Reads `[HOST[:PORT]/]PATH`. As with docker, what stands before the first slash is a host only if it looks like one;
 * otherwise the path is on Docker Hub.
 *
 * @throws UserError
 */
export function parseRepository(text: string): Repository {
  const [first = "", ...rest] = text.split("/");
  const named = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const host = named ? first : "docker.io";
  const written = named ? rest.join("/") : text;
  const path = host === "docker.io" && !written.includes("/") ? `library/${written}` : written;
  if (!hostPattern.test(host) || !pathPattern.test(path))
    throw new UserError(
      `${JSON.stringify(text)} is no repository: it has the form HOST/PATH, ` +
        'and the path is of lower-case letters, digits, ".", "_", "-" and "/".',
    );
  return { host, path };
}

/** Reads `REPOSITORY[:TAG][@DIGEST]`. @throws UserError */
export function parseReference(text: string): Reference {
  const [name = "", digest] = text.split("@", 2);
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  const repository = parseRepository(colon < 0 ? name : name.slice(0, colon));
  if (tag !== undefined && !isTag(tag))
    throw new UserError(`${JSON.stringify(text)} has a tag that no registry takes.`);
  if (digest !== undefined && !isDigest(digest))
    throw new UserError(`${JSON.stringify(text)} has a digest that is not sha256: and 64 hexadecimal digits.`);
  return { ...repository, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

/** As it is written in manifests. */
export function repositoryName({ host, path }: Repository): string {
  return `${host}/${path}`;
}

/** Whether a host is this machine, to which no client needs TLS. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host);
}
