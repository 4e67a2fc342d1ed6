import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificates } from "../../../shared/kubernetes/testing/certificates.ts";
import { freePorts } from "../free-ports.ts";
import { type Supervised, supervise } from "../supervise.ts";

/** Cluster API's core manager as a process of this machine, with its admission and conversion webhooks on loopback. */
export interface MachineManager {
  /** `https://127.0.0.1:<port>`: where the API server finds the webhooks. */
  readonly webhooks: string;
  /** Starts it, again after `stop`; resolves when it is healthy. */
  start(): Promise<void>;
  /** Ends it. Its webhooks are still asked for: the API server refuses every write to a Machine from then on. */
  stop(): Promise<void>;
}

/** The authority that has signed the webhooks' certificate, as PEM. */
export const webhookAuthority = certificates.authority;

/**
 * The manager at `binary`, not started yet. Kinds of the feature gate MachinePool need not be served.
 *
 * @param kubeconfig of the cluster that is management and workload cluster in one
 */
export async function machineManager(binary: string, kubeconfig: string): Promise<MachineManager> {
  const [webhooks, health, diagnostics] = (await freePorts(3)) as [number, number, number];
  let running: Supervised | undefined;
  return {
    webhooks: `https://127.0.0.1:${webhooks}`,
    async start() {
      const folder = await mkdtemp(join(tmpdir(), "holdfast-cluster-api-"));
      running = supervise(folder);
      await writeFile(join(folder, "tls.crt"), certificates.server.cert);
      await writeFile(join(folder, "tls.key"), certificates.server.key, { mode: 0o600 });
      running.start("cluster-api", binary, [
        `--kubeconfig=${kubeconfig}`,
        `--webhook-cert-dir=${folder}`,
        `--webhook-port=${webhooks}`,
        `--health-addr=127.0.0.1:${health}`,
        `--diagnostics-address=127.0.0.1:${diagnostics}`,
        "--insecure-diagnostics",
        "--leader-elect=false",
        "--feature-gates=MachinePool=false",
      ]);
      await running.until("the Machine controller is healthy", async () => {
        const { ok, status } = await fetch(`http://127.0.0.1:${health}/readyz`);
        if (!ok) throw new Error(`It answers ${status}.`);
      });
    },
    async stop() {
      await running?.stop();
      running = undefined;
    },
  };
}
