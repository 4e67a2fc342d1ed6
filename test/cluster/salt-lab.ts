import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const run = fileURLToPath(new URL("../salt/run", import.meta.url));

/** A real Salt on loopback, with the product's states and real loop devices. */
export interface SaltLab {
  /** What a function has in its environment to reach it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): void;
}

/** A real Salt on loopback as an administrator has it who has not heard of Holdfast. */
export interface BareSalt {
  /** `master` in it is what `/etc/salt` is on a master, `srv` is `/srv`. */
  readonly folder: string;
  /** The start of a shell command to which a subcommand of `test/salt/lab.py` is added. */
  readonly lab: string;
  stop(): void;
}

/** Starts one where that can be done. Else says why not, in a sentence. */
export function startBareSalt(port: number): BareSalt | string {
  const folder = mkdtempSync(join(tmpdir(), "salt-"));
  const { status, stdout, stderr } = spawnSync("bash", [run, "lab", "bare", folder, "--port", String(port)], {
    encoding: "utf8",
  });
  // Where it cannot run, that is one line, and no failure.
  if (status !== 0 || stdout !== "") {
    rmSync(folder, { recursive: true, force: true });
    return `${stdout}${stderr.slice(-300)}`.trim();
  }
  return { folder, lab: `bash ${run} lab`, stop: () => down(folder) };
}

function down(folder: string): void {
  execFileSync("bash", [run, "lab", "down", folder]);
  rmSync(folder, { recursive: true, force: true });
}

/** Starts one where that can be done: on Linux, as root, with Python and PyPI. Else says why not, in a sentence. */
export function startSaltLab(port: number): SaltLab | string {
  // Sockets lie in it, whose names must be short.
  const folder = mkdtempSync(join(tmpdir(), "salt-"));
  const started = spawnSync("bash", [run, "lab", "up", folder, "--port", String(port)], { encoding: "utf8" });
  const variables = Object.fromEntries(
    [...started.stdout.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value?.replaceAll("'", "")]),
  );
  const { SALT_API_URL: url, SALT_USER: user, SALT_EAUTH: eauth, SALT_PASSWORD: password } = variables;
  if (!url || !user || !eauth || !password) {
    rmSync(folder, { recursive: true, force: true });
    return `${started.stdout.trim().split("\n").at(-1) ?? ""} ${started.stderr.trim().slice(-300)}`.trim();
  }
  const credentials = join(folder, "credentials");
  mkdirSync(join(credentials, "salt"), { recursive: true });
  writeFileSync(join(credentials, "salt", "password"), password, { mode: 0o600 });
  return {
    environment: {
      SALT_URL: url,
      SALT_ALLOW_HTTP: "true",
      SALT_USERNAME: user,
      SALT_EAUTH: eauth,
      HOLDFAST_CREDENTIALS: credentials,
    },
    stop: () => down(folder),
  };
}
