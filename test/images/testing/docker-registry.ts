import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { certificates } from "../../../shared/kubernetes/testing/certificates.ts";
import { freePorts } from "../../cluster/free-ports.ts";
import { onSmallDisk } from "./small-disk.ts";

/** The one whom registries with passwords know. */
export const user = { name: "user", password: "password" };

/** {@link user}, as `htpasswd -B` writes it. */
const passwords = "user:$2y$05$bECif0IcKKr2i3QfKStKoulQI/YYJaF4RbBbv2gnONHWMrEPjq5yC\n";

/** How a registry is to be. */
export interface RegistryOptions {
  /** With the certificate of {@link certificates}. */
  readonly tls?: boolean;
  readonly login?: "password" | { readonly realm: string; readonly service: string; readonly issuer: string };
  /** How much it can keep, as tmpfs takes it, e.g. `512k`; as much as there is room for by default. */
  readonly disk?: string;
}

/** Debian's docker-registry, running on loopback. */
export interface DockerRegistry {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  readonly port: number;
  /** Which tags a repository has; nothing, when there is no such repository. For registries without logins. */
  tags(path: string): Promise<readonly string[] | undefined>;
  /** A manifest by tag or digest, as it is answered. */
  manifest(path: string, reference: string): Promise<{ status: number; digest: string; body: string }>;
  stop(): Promise<void>;
}

/** Starts one, and resolves when it takes connections. */
export async function startRegistry({ tls, login, disk }: RegistryOptions = {}): Promise<DockerRegistry> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-registry-"));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const storage = join(folder, "storage");
  mkdirSync(storage);
  const [port = 0] = await freePorts(1);
  const config = {
    version: 0.1,
    log: { level: "error", accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: storage } },
    http: {
      addr: `127.0.0.1:${port}`,
      ...(tls && {
        tls: {
          certificate: file("cert.pem", certificates.server.cert),
          key: file("key.pem", certificates.server.key),
        },
      }),
    },
    ...(login === "password" && { auth: { htpasswd: { realm: "registry", path: file("htpasswd", passwords) } } }),
    ...(typeof login === "object" && {
      auth: { token: { ...login, rootcertbundle: file("authority.pem", certificates.authority) } },
    }),
  };
  const serve = ["docker-registry", "serve", file("config.yml", stringify(config))];
  const [program = "", ...args] = disk ? onSmallDisk(storage, disk, serve) : serve;
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "pipe"],
    // It would take its configuration from REGISTRY_*, too.
    env: { PATH: process.env.PATH },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "close");
  // A test run that goes takes it along.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  await listening(port, child, () => said);

  return {
    host: `127.0.0.1:${port}`,
    port,
    async tags(path) {
      const { status, body } = await get(port, `/v2/${path}/tags/list`);
      return status === 404 ? undefined : ((JSON.parse(body) as { tags: string[] | null }).tags ?? []);
    },
    manifest: (path, reference) => get(port, `/v2/${path}/manifests/${reference}`),
    async stop() {
      process.removeListener("exit", kill);
      kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const accept = ["index", "manifest"].map((kind) => `application/vnd.oci.image.${kind}.v1+json`).join(", ");

async function get(port: number, path: string): Promise<{ status: number; digest: string; body: string }> {
  const asking = request({ host: "127.0.0.1", port, path, headers: { accept } }).end();
  const [answer] = await once(asking, "response");
  const body = (await answer.setEncoding("utf8").toArray()).join("");
  return { status: answer.statusCode, digest: String(answer.headers["docker-content-digest"] ?? ""), body };
}

/** It says nothing when it is up, so the test has to look. */
async function listening(port: number, child: ChildProcess, said: () => string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break;
    // With TLS, the connection is taken and the request refused, which is an answer, too.
    const up = await get(port, "/v2/").then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== "ECONNREFUSED",
    );
    if (up) return;
    await sleep(50);
  }
  throw new Error(`docker-registry does not run: ${said()}`);
}
