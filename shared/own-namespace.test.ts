import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { ownNamespace } from "./own-namespace.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-namespace-"));
const file = join(folder, "namespace");
writeFileSync(file, "storage-safety\n");
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

test("in a cluster it is the one of the service account", () => {
  vi.stubEnv("KUBECONFIG", "");
  expect(ownNamespace(file)).toBe("storage-safety");
});

test("elsewhere, and in a pod that works on another cluster, it is the one of the manifests", () => {
  vi.stubEnv("KUBECONFIG", "");
  expect(ownNamespace(join(folder, "absent"))).toBe("holdfast");
  vi.stubEnv("KUBECONFIG", "/home/alice/.kube/config");
  expect(ownNamespace(file)).toBe("holdfast");
});
