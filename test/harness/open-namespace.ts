import { onTestFinished } from "vitest";
import type { Client } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, Pod, pathOf, StatefulSet } from "../../shared/kubernetes/kind.ts";
import { Namespace, ServiceAccount } from "./kinds.ts";
import { manifest } from "./manifest.ts";
import type { Bench, Server } from "./server.ts";

/** Has something done when the running test is over. Tests that run side by side have one each, from their context. */
export type WhenOver = (end: () => Promise<void> | void) => void;

/**
 * A namespace of its own for the running test, removed when the test is over. `isSwept`: also where it would go with
 * the server, because every sweep looks at it, and takes longer with each that is left.
 */
export async function benchOn(
  server: Server,
  whenOver: WhenOver = onTestFinished,
  { isSwept = false } = {},
): Promise<Bench> {
  const { admin } = server;
  const namespace = server.freshName();
  await createNamespace(admin, namespace);
  whenOver(async () => {
    if (server.throwaway) await empty(admin, namespace);
    if (isSwept || !server.throwaway) await admin.delete(Namespace, undefined, namespace);
  });
  return { ...server, namespace };
}

/** Creates a namespace in which pods can be created at once. */
export async function createNamespace(admin: Client, namespace: string): Promise<void> {
  await admin.create(Namespace, manifest(Namespace, { name: namespace }));
  // Pods need the account before the controllers come to make it.
  await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name: "default" })).catch(() => {});
}

/**
 * Takes away what others would go on looking at. To take a namespace away as a whole costs a real API server over a
 * hundred requests.
 */
async function empty(admin: Client, namespace: string): Promise<void> {
  const options = { propagationPolicy: "Background", gracePeriodSeconds: 0 };
  for (const kind of [StatefulSet, Pod, PersistentVolumeClaim])
    await admin.request("DELETE", pathOf(kind, namespace), options);
}
