import { onTestFinished } from "vitest";
import { Namespace, ServiceAccount } from "./kinds.ts";
import { manifest } from "./manifest.ts";
import type { Bench, Server } from "./server.ts";

/** A namespace of its own for the running test, removed when the test is over. */
export async function benchOn(server: Server): Promise<Bench> {
  const { admin } = server;
  const namespace = server.freshName();
  await admin.create(Namespace, manifest(Namespace, { name: namespace }));
  // Pods need the account before the controllers come to make it.
  await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name: "default" })).catch(() => {});
  onTestFinished(async () => {
    await admin.delete(Namespace, undefined, namespace);
  });
  return { ...server, namespace };
}
