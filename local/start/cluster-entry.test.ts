import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { UserError } from "../../shared/command/user-error.ts";
import { readCluster } from "./cluster-entry.ts";
import { writeKubeconfig } from "./credentials.ts";

const folder = mkdtempSync(join(tmpdir(), "cluster-entry-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const kubeconfig = (cluster: object) =>
  writeKubeconfig(join(folder, "kubeconfig"), { server: "https://cluster.example", ...cluster }, "alice", {});

test("a certificate authority in a file beside the kubeconfig is taken into the entry", async () => {
  writeFileSync(join(folder, "ca.crt"), "CA");
  const { user, entry } = readCluster(await kubeconfig({ "certificate-authority": "ca.crt" }));
  expect(user).toBe("alice");
  expect(entry).toEqual({ server: "https://cluster.example", "certificate-authority-data": "Q0E=" });
});

test("one that cannot be read is complained about, with both files", async () => {
  const file = await kubeconfig({ "certificate-authority": "/nowhere/ca.crt" });
  expect(() => readCluster(file)).toThrow(UserError);
  expect(() => readCluster(file)).toThrow(
    `The certificate authority that ${file} names cannot be read: ENOENT: no such file or directory, ` +
      "open '/nowhere/ca.crt'",
  );
});
