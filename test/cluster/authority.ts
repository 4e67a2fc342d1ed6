import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { KubeConfig } from "@kubernetes/client-node";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";

/** The address of the API server that a kubeconfig names. */
export function addressIn(kubeconfig: string): string {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return config.getCurrentCluster()?.server ?? "";
}

/**
 * A file with the certificate that an API server's is signed by: one that is given none makes it itself, and no
 * kubeconfig has it.
 */
export async function authorityOf(server: string): Promise<string> {
  const { hostname, port } = new URL(server);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { issuerCertificate } = socket.getPeerCertificate(true);
  socket.destroy();
  const file = join(temporaryFolder("authority").path, "ca.crt");
  const text = issuerCertificate.raw.toString("base64");
  writeFileSync(file, `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`);
  return file;
}
