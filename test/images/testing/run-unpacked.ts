import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readlinkSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "../../cluster/free-ports.ts";

/** The part of an OCI runtime's configuration that says how an image is run. */
interface RuntimeConfig {
  readonly process: {
    readonly user: { readonly uid: number; readonly gid: number };
    readonly args: readonly string[];
    readonly env: readonly string[];
  };
}

/** A function that runs from its unpacked image. */
export interface Running {
  readonly uid: number;
  /** The program that runs, as it sees it. */
  readonly program: string;
  /** Whether the file system that it sees can be written to. */
  readonly readOnly: boolean;
  /** Status and body of its answer to an event. */
  send(headers: Readonly<Record<string, string>>, body?: object): Promise<{ status: number; body: string }>;
  stop(): Promise<void>;
}

/** To change the root and the user of a process takes root. */
export const canRunUnpacked = process.getuid?.() === 0;

/**
 * Runs what umoci has unpacked to `bundle` as its configuration says: program, arguments, user and environment, in a
 * file system that has nothing else in it and cannot be written to. Only the network is this machine's.
 */
export async function runUnpacked(bundle: string, environment: Readonly<Record<string, string>>): Promise<Running> {
  const { process: image } = JSON.parse(readFileSync(join(bundle, "config.json"), "utf8")) as RuntimeConfig;
  const root = join(bundle, "rootfs");
  const [port = 0] = await freePorts(1);
  const own = Object.entries({ ...environment, PORT: String(port) }).map(([name, value]) => `${name}=${value}`);
  const chroot = execFileSync("sh", ["-c", "command -v chroot"], { encoding: "utf8" }).trim();
  const user = `--userspec=${image.user.uid}:${image.user.gid}`;
  const child = spawn(
    "unshare",
    [
      "--mount",
      "sh",
      "-c",
      // The mounts are of a namespace of its own, and go with it.
      'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"',
      root,
      ...["env", "-i", ...image.env, ...own],
      ...[chroot, user, root, ...image.args],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "close");
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);

  const send: Running["send"] = async (headers, body) => {
    const sending = request({ host: "127.0.0.1", port, method: "POST", headers });
    sending.end(body ? JSON.stringify(body) : "");
    const [answer] = await once(sending, "response");
    return { status: answer.statusCode, body: (await answer.setEncoding("utf8").toArray()).join("") };
  };
  await listening(port, () => {
    if (child.exitCode !== null) throw new Error(`The function does not run: ${said}`);
  });
  // Every step has put the next one in its own place, so that it is still the process that was started.
  const proc = `/proc/${child.pid}`;
  const [, uid = ""] = /^Uid:\s+(\d+)/m.exec(readFileSync(`${proc}/status`, "utf8")) ?? [];
  const mounts = readFileSync(`${proc}/mountinfo`, "utf8").split("\n");
  return {
    uid: Number(uid),
    program: readlinkSync(`${proc}/exe`).replace(root, ""),
    readOnly: mounts.some((line) => / \/ ro[, ]/.test(line)),
    send,
    async stop() {
      process.removeListener("exit", kill);
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function listening(port: number, check: () => void): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    check();
    const probe = request({ host: "127.0.0.1", port, path: "/health/live" }).end();
    const up = await once(probe, "response").then(
      ([answer]) => answer.resume() && true,
      () => false,
    );
    if (up) return;
    await sleep(50);
  }
  throw new Error(`No program listens on ${port}.`);
}
