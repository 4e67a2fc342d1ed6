import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { systemClock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { tokenKubeconfig } from "../cluster/token-kubeconfig.ts";
import { definition } from "./manifest.ts";
import { poll } from "./poll.ts";
import type { Server } from "./server.ts";

/** On a busy machine, by sweeps alone, a policy was in force after a minute and more. */
const patience = 180_000;

/** What cannot be found out about a server by asking it. */
export interface RealServerOptions {
  /**
   * Makes its etcd forget what is past; without it the cluster must be older than its compaction interval, five
   * minutes.
   */
  compact?: () => Promise<void>;
  guardsOwnerReferences?: boolean;
  /** See {@link Server}. */
  throwaway?: boolean;
}

/** The API server of a kubeconfig. */
export function realServer(
  kubeconfig: string,
  { compact = async () => {}, guardsOwnerReferences = false, throwaway = false }: RealServerOptions = {},
): Server {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error(`The kubeconfig ${kubeconfig} has no current context with a cluster.`);
  const transport = kubeconfigTransport(kubeconfig);
  const admin = createClient(transport);
  const undo: (() => Promise<unknown>)[] = [];
  const run = Date.now().toString(36);
  let names = 0;

  // A token must come alone: a certificate in the same kubeconfig would outrank it.
  function connect(token: string): Transport {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-token-"));
    const file = join(folder, "kubeconfig");
    try {
      writeFileSync(file, tokenKubeconfig(cluster as NonNullable<typeof cluster>, token), { mode: 0o600 });
      return kubeconfigTransport(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  const eventually: Server["eventually"] = (what, check, within = patience) => poll(what, check, { within });

  /** The server watches a custom kind only from its definition on: version 1 is from before. */
  async function expiredVersion(): Promise<{ kind: Kind; resourceVersion: string }> {
    const group = "contract.holdfast.dev";
    const plural = `t${Date.now().toString(36)}s`;
    const kind: Kind = { apiVersion: `${group}/v1`, kind: "Thing", plural, namespaced: true };
    const name = `${plural}.${group}`;
    await admin.create(CustomResourceDefinition, definition(kind));
    undo.push(() => admin.delete(CustomResourceDefinition, undefined, name));
    await eventually("the kind is served", async () => {
      const things = admin.list(kind, { namespace: "default" });
      return Array.fromAsync(things).then(
        () => true,
        () => false,
      );
    });
    return { kind, resourceVersion: "1" };
  }

  /** Its cache may serve a moment that etcd has forgotten, but none from before the server started. */
  async function expire(token: string): Promise<string> {
    await compact();
    const decoded = JSON.parse(Buffer.from(token, "base64url").toString());
    return Buffer.from(JSON.stringify({ ...decoded, rv: 1 })).toString("base64url");
  }

  return {
    admin,
    transport,
    connect,
    throwaway,
    clock: systemClock,
    eventually,
    guardsOwnerReferences,
    expire,
    expiredVersion,
    freshName: () => `holdfast-test-${run}-${++names}`,
    async stop() {
      for (const step of undo.reverse()) await step();
    },
  };
}
