import { onTestFinished } from "vitest";
import { Namespace, ServiceAccount } from "./kinds.ts";
import { manifest } from "./manifest.ts";
import type { Bench, Server } from "./server.ts";

/** Has something done when the running test is over. Tests that run side by side have one each, from their context. */
export type WhenOver = (end: () => Promise<void> | void) => void;

/** A namespace of its own for the running test, removed when the test is over. */
export async function benchOn(server: Server, whenOver: WhenOver = onTestFinished): Promise<Bench> {
  const { admin } = server;
  const namespace = server.freshName();
  await admin.create(Namespace, manifest(Namespace, { name: namespace }));
  // Pods need the account before the controllers come to make it.
  await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name: "default" })).catch(() => {});
  whenOver(async () => {
    await admin.delete(Namespace, undefined, namespace);
  });
  return { ...server, namespace };
}
