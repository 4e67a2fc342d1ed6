import { askHelper } from "./credential-helper.ts";
import type { Credentials } from "./credentials.ts";
import type { DockerConfig } from "./docker-config.ts";

/** Docker keeps the login to its own registry under this name. */
const dockerHub = "https://index.docker.io/v1/";

/**
 * The login for a repository, from the first configuration that has one: by a helper for the registry, by name (podman
 * also has logins for a part of a registry; the longest that fits wins), by the helper for all.
 *
 * @throws UserError when a helper fails
 */
export async function findCredentials(
  configs: readonly DockerConfig[],
  host: string,
  path: string,
): Promise<Credentials | undefined> {
  for (const config of configs) {
    const name = host === "docker.io" ? dockerHub : host;
    const helper = config.credHelpers[host];
    const found = (helper && (await askHelper(helper, name))) || fromFile(config, host, path);
    if (found) return found;
    const fromAll = config.credsStore && (await askHelper(config.credsStore, name));
    if (fromAll) return fromAll;
  }
  return undefined;
}

function fromFile({ auths, file }: DockerConfig, host: string, path: string): Credentials | undefined {
  const login = namesOf(host, path)
    .map((name) => auths[name])
    // Where a helper keeps the secret, docker leaves an empty entry.
    .find((entry) => entry && (entry.auth || entry.identitytoken || entry.username));
  if (!login) return undefined;
  if (login.identitytoken) return { identityToken: login.identitytoken, origin: file };
  const plain = login.auth ? Buffer.from(login.auth, "base64").toString() : `${login.username}:${login.password ?? ""}`;
  const colon = plain.indexOf(":");
  return { user: plain.slice(0, colon), password: plain.slice(colon + 1), origin: file };
}

/** From the most to the least particular. */
function namesOf(host: string, path: string): readonly string[] {
  const parts = path.split("/");
  const within = parts.map((_, index) => [host, ...parts.slice(0, parts.length - index)].join("/"));
  const forms = [
    host,
    `https://${host}`,
    `https://${host}/`,
    `https://${host}/v1/`,
    `https://${host}/v2/`,
    `http://${host}`,
  ];
  return [...within, ...forms, ...(host === "docker.io" ? [dockerHub, "index.docker.io"] : [])];
}
