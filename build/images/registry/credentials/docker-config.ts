import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../../../shared/command/user-error.ts";

/** The part of docker's and podman's configuration that is about logins. */
export interface DockerConfig {
  readonly file: string;
  readonly auths: Readonly<Record<string, Login>>;
  /** The helper for all registries, and those for some. */
  readonly credsStore?: string;
  readonly credHelpers: Readonly<Record<string, string>>;
}

/** What is kept of a login; most often `auth`, which is `user:password` in base64. */
interface Login {
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  /** Of registries that give a token for the password, to be exchanged for shorter-lived ones. */
  readonly identitytoken?: string;
}

/** Where logins are looked for, in this order: where podman says, where docker keeps them, where podman does. */
export function configFiles(environment: NodeJS.ProcessEnv): readonly string[] {
  const { REGISTRY_AUTH_FILE, DOCKER_CONFIG, XDG_RUNTIME_DIR } = environment;
  const home = environment.HOME ?? homedir();
  return [
    ...(REGISTRY_AUTH_FILE ? [REGISTRY_AUTH_FILE] : []),
    join(DOCKER_CONFIG || join(home, ".docker"), "config.json"),
    ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, "containers/auth.json")] : []),
    join(home, ".config/containers/auth.json"),
  ];
}

/** Reads the configurations that there are. @throws UserError for one that is no JSON */
export async function readConfigs(files: readonly string[]): Promise<readonly DockerConfig[]> {
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readIfThere(file) })));
  return texts.flatMap(({ file, text }) => (text === undefined ? [] : [parse(file, text)]));
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw new UserError(`The logins in ${file} cannot be read: ${(error as Error).message}.`);
  }
}

function parse(file: string, text: string): DockerConfig {
  try {
    const { auths = {}, credHelpers = {}, credsStore } = JSON.parse(text) as Partial<DockerConfig>;
    return { file, auths, credHelpers, ...(credsStore ? { credsStore } : {}) };
  } catch {
    throw new UserError(`${file} should hold the logins of docker, and is no JSON.`);
  }
}
