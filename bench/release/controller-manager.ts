import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../../test/cluster/free-ports.ts";
import { writeKubeconfig } from "../kubeconfig.ts";
import { ended } from "../process/ended.ts";

/** The in-tree controller as a process. */
export interface ControllerManager {
  readonly pid: number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts kube-controller-manager with nothing but the PVC protection controller in it, which reaches the API server at
 * `port`. Its other controllers would be counted with it.
 */
export async function startControllerManager(
  binary: string,
  port: number,
  flags: readonly string[],
): Promise<ControllerManager> {
  const kubeconfig = writeKubeconfig(`https://127.0.0.1:${port}`, "system:kube-controller-manager-token");
  const [secure] = await freePorts(1);
  const child = spawn(
    binary,
    [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--authentication-skip-lookup=true",
      "--bind-address=127.0.0.1",
      `--secure-port=${secure}`,
      `--cert-dir=${join(tmpdir(), `holdfast-bench-controllers-${process.pid}`)}`,
      "--leader-elect=false",
      "--use-service-account-credentials=true",
      "--controllers=persistentvolumeclaim-protection-controller",
      ...flags,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  running.add(child);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4000);
  });
  let stopping = false;
  child.once("exit", () => {
    running.delete(child);
    if (!stopping) console.error(`kube-controller-manager ended early:\n${said}`);
  });
  await once(child, "spawn");
  return {
    pid: child.pid as number,
    async stop() {
      stopping = true;
      child.kill("SIGTERM");
      await ended(child, "kube-controller-manager");
    },
  };
}
