import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../shared/clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { requestToken } from "../knative/service-account.ts";

/** How a cluster is reached: the `cluster` part of a kubeconfig. */
export type ClusterEntry = Readonly<Record<string, unknown>>;

/** Kubeconfigs that let processes act as service accounts. */
export type Credentials = ReturnType<typeof issueCredentials>;

const lifetime = 24 * 3600;

/**
 * Issues service account tokens into files below `folder`, readable by this user alone, and renews each in its file
 * when four fifths of its life are over, as the kubelet does for pods.
 */
export function issueCredentials(
  { client, clock, signal }: { client: Client; clock: Clock; signal: AbortSignal },
  cluster: ClusterEntry,
  folder: string,
) {
  const issued = new Map<string, Promise<string>>();

  async function renew(namespace: string, name: string, file: string): Promise<number> {
    const { token, expirationTimestamp } = await requestToken(client, namespace, name, lifetime);
    await writeFile(`${file}.new`, token, { mode: 0o600 });
    await rename(`${file}.new`, file);
    return Date.parse(expirationTimestamp) - clock.now();
  }

  async function keepFresh(namespace: string, name: string, file: string, lives: number): Promise<void> {
    let left = lives;
    while (!signal.aborted) {
      await clock.sleep(Math.max(10_000, left * 0.8), signal).catch(() => {});
      // A server that does not answer now is asked again before the old token is over.
      if (!signal.aborted) left = await renew(namespace, name, file).catch(() => left * 0.1);
    }
  }

  async function issue(namespace: string, name: string): Promise<string> {
    const home = join(folder, "accounts", `${namespace}.${name}`);
    await mkdir(home, { recursive: true, mode: 0o700 });
    const token = join(home, "token");
    void keepFresh(namespace, name, token, await renew(namespace, name, token));
    const user = { "auth-provider": { name: "tokenFile", config: { tokenFile: token } } };
    return writeKubeconfig(join(home, "kubeconfig"), cluster, name, user);
  }

  return {
    /** The path of a kubeconfig with the identity of a service account, whose token is asked for when it is needed. */
    kubeconfigFor(namespace: string, serviceAccount: string) {
      const key = `${namespace}/${serviceAccount}`;
      const known = issued.get(key) ?? issue(namespace, serviceAccount);
      issued.set(key, known);
      known.catch(() => issued.delete(key));
      return known;
    },
  };
}

/** Writes a kubeconfig of one cluster and one user, and returns its path. JSON is YAML, too. */
export async function writeKubeconfig(
  file: string,
  cluster: ClusterEntry,
  name: string,
  user: object,
): Promise<string> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "holdfast", cluster }],
    users: [{ name, user }],
    contexts: [{ name: "holdfast", context: { cluster: "holdfast", user: name } }],
    "current-context": "holdfast",
  };
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return file;
}
