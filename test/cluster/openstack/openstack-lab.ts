import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../../../shared/clock.ts";
import { httpTransport } from "../../../shared/system/http-transport.ts";
import { runAgent } from "../../contract/openstack/agents-file.ts";
import type { OpenStackUnderTest } from "../../contract/openstack/openstack-under-test.ts";
import { hosts } from "../../scenarios/eviction/settings.ts";

/** A real OpenStack on loopback, with a fake hypervisor. */
export interface OpenStackLab {
  readonly under: OpenStackUnderTest;
  /** What a function has in its environment to reach it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): void;
}

/**
 * Starts one with the program that HOLDFAST_OPENSTACK names, which takes `up`, `down`, `stop` and `start` with a
 * folder; in OPENSTACK_DIR it runs already, and stays. Else says why there is none, in a sentence.
 */
export function startOpenStackLab(): OpenStackLab | string {
  const { HOLDFAST_OPENSTACK, OPENSTACK_DIR: running } = process.env;
  if (!HOLDFAST_OPENSTACK) return "HOLDFAST_OPENSTACK names no program that starts an OpenStack.";
  const program = resolve(HOLDFAST_OPENSTACK);
  // Sockets lie in it, whose names must be short.
  const folder = running ?? mkdtempSync(join(tmpdir(), "os-"));
  if (!running) addDriver(join(folder, "home"));
  const options = ["--hosts", hosts.join(","), "--driver", "shared_storage.SharedStorageDriver"];
  // A service that dies leaves a dump where it was started.
  const started = spawnSync(program, ["up", folder, ...(running ? [] : options)], { encoding: "utf8", cwd: folder });
  const variables = Object.fromEntries(
    [...started.stdout.matchAll(/\b(OS_\w+)=(\S+)/g)].map(([, name, value]) => [name, value ?? ""]),
  );
  const { OS_AUTH_URL: authUrl, OS_PASSWORD: password } = variables;
  const end = () => {
    if (running) return;
    execFileSync(program, ["down", folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  };
  if (started.status !== 0 || !authUrl || !password) {
    end();
    return `It does not start: ${started.stderr.trim().slice(-300)}`;
  }
  const openstack = (...words: string[]) =>
    execFileSync("openstack", words, { encoding: "utf8", env: { ...process.env, ...variables } }).trim();
  const imageRef = openstack("image", "show", "tiny", "-f", "value", "-c", "id");
  const credentials = mkdtempSync(join(tmpdir(), "os-credentials-"));
  mkdirSync(join(credentials, "openstack"));
  writeFileSync(join(credentials, "openstack", "password"), password, { mode: 0o600 });
  const run = async (verb: string, host: string) =>
    void (await promisify(execFile)(program, [verb, folder, `compute-${host}`], { timeout: 60_000 }));
  return {
    under: {
      authUrl,
      transportTo: (root) => httpTransport(root, async () => undefined),
      clock: systemClock,
      password,
      hosts,
      server: { flavorRef: "1", imageRef },
      settled: (work) => work,
      agents: runAgent(join(folder, "agents.txt")),
      control: { stop: (host) => run("stop", host), start: (host) => run("start", host) },
    },
    environment: { OS_AUTH_URL: authUrl, OPENSTACK_ALLOW_HTTP: "true", HOLDFAST_CREDENTIALS: credentials },
    stop() {
      rmSync(credentials, { recursive: true, force: true });
      end();
    },
  };
}

/** Nova takes drivers of hypervisors from a package of its own alone: its processes get one folder more there. */
function addDriver(home: string): void {
  const find = ["-c", "import site; print(site.getusersitepackages())"];
  const packages = execFileSync("/usr/bin/python3", find, { encoding: "utf8", env: { HOME: home } }).trim();
  mkdirSync(packages, { recursive: true });
  const lines = ["try:", "    import nova.virt", "except ImportError:", "    pass", "else:"];
  const add = `    nova.virt.__path__.append(${JSON.stringify(import.meta.dirname)})`;
  writeFileSync(join(packages, "usercustomize.py"), [...lines, add, ""].join("\n"));
}
