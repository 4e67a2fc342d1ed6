import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { signsIn } from "../../shared/kubernetes/testing/signs-in.ts";
import { lateBuiltins } from "./late-builtins.mjs";
import { leaveOut } from "./left-out.mjs";

// What a kubeconfig can ask for has to be in the bundles of functions, too.
let folder: string;
let bundle: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-left-out-"));
  bundle = join(folder, "kubeconfig-transport.cjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../../shared/kubernetes/kubeconfig-transport.ts", import.meta.url))],
    outfile: bundle,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    logLevel: "silent",
    plugins: [lateBuiltins(), leaveOut()],
  });
});
afterAll(() => rm(folder, { recursive: true }));

signsIn(
  "a transport from a kubeconfig, as bundled",
  async () => (await import(pathToFileURL(bundle).href)).kubeconfigTransport,
);
