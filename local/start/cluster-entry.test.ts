import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readCluster } from "./cluster-entry.ts";
import { writeKubeconfig } from "./credentials.ts";

const folder = mkdtempSync(join(tmpdir(), "cluster-entry-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const kubeconfig = (cluster: object) =>
  writeKubeconfig(join(folder, "kubeconfig"), { server: "https://cluster.example", ...cluster }, "alice", {});

test("a certificate authority in a file beside the kubeconfig is named by its path", async () => {
  const { user, entry } = readCluster(await kubeconfig({ "certificate-authority": "ca.crt" }));
  expect(user).toBe("alice");
  expect(entry).toMatchObject({
    server: "https://cluster.example",
    "certificate-authority": join(folder, "ca.crt"),
  });
});
