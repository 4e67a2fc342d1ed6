import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Complaint } from "../../shared/command/complaint.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";

/** The cluster of a kubeconfig, or the one that kubectl would speak to. @throws Complaint when there is none. */
export function openCluster(kubeconfig: string | undefined): Client {
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST: inCluster } = process.env;
  // client-node would fall back to a cluster on port 8080 of this machine.
  if (!kubeconfig && !KUBECONFIG && !inCluster && !existsSync(join(homedir(), ".kube/config")))
    throw new Complaint("No cluster is named: give --kubeconfig FILE, or set KUBECONFIG.");
  try {
    return createClient(kubeconfigTransport(kubeconfig));
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    throw new Complaint(`The kubeconfig ${kubeconfig ?? KUBECONFIG ?? ""} cannot be read: ${reason}`, { cause });
  }
}
