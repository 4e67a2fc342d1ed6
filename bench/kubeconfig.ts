import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../shared/command/temporary-folder.ts";

const folder = temporaryFolder("bench").path;
let count = 0;

/** Writes a kubeconfig for this run: a server, and the token to sign in with. Answers its path. */
export function writeKubeconfig(server: string, token = "none"): string {
  const file = join(folder, `kubeconfig-${count++}`);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "server", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "user", user: { token } }],
    contexts: [{ name: "context", context: { cluster: "server", user: "user" } }],
    "current-context": "context",
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
