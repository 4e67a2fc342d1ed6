import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { writeEmptyBase } from "../../build/images/testing/empty-base.ts";
import { seededRandom } from "../../eventing/random.ts";
import { serveHttp } from "../../local/apiserver/http.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { systemClock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { freePorts } from "../cluster/free-ports.ts";
import { ConfigMap } from "../harness/kinds.ts";
import { type DockerRegistry, startRegistry } from "./testing/docker-registry.ts";
import { foreign } from "./testing/host-base.ts";
import { kubeconfigOf } from "./testing/kubeconfig.ts";
import { kubectlFolder } from "./testing/kubectl.ts";
import { run, runCommand, runImage } from "./testing/run-image.ts";
import { canHaveSmallDisk, onSmallDisk } from "./testing/small-disk.ts";

const name = "pvc-protection/warn";
const root = join(import.meta.dirname, "../..");

describe.skipIf(!inject("imageTools"))("on the command line", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-command-"));
  // For what cannot be run here, which takes less time.
  const build = ["--base", `oci:${join(folder, "base")}`, "--platform", `linux/${foreign}`, "--sbom", "none"];
  let registry: DockerRegistry;
  beforeAll(async () => {
    await writeEmptyBase(join(folder, "base"));
    registry = await startRegistry();
  });
  afterAll(async () => {
    await registry.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a registry that is not there is reported in one line, before anything is built", async () => {
    const [port] = await freePorts(1);
    const outcome = await runImage([name, "--push", "--repo", `127.0.0.1:${port}/holdfast`, ...build]);
    expect(outcome).toEqual({
      code: 1,
      stdout: "",
      stderr: `holdfast: The registry 127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.\n`,
    });
  });

  test.skipIf(!canHaveSmallDisk).each([
    ["layout", "--oci-layout", "layout"],
    ["archive", "--tarball", "images.tar"],
  ])("a disk that is full is reported in one line, and there is no %s", async (what, flag, file) => {
    const disk = join(folder, what);
    mkdirSync(disk);
    const image = [process.execPath, join(root, "build/images/main.ts"), name, flag, join(disk, file), ...build];
    const [program = "", ...args] = onSmallDisk(disk, "4m", image, 'echo "code $?"; find "$0" -type f -size +8k');
    const { stdout, stderr } = await run(program, args);
    expect(stderr).toMatch(/^holdfast: The (layout|archive) \S+ could not be written: ENOSPC: [^\n]*\n$/);
    expect(stdout.trim().split("\n")[0]).toBe("code 1");
    expect(stdout).not.toContain("index.json");
    expect(stdout).not.toContain(".part");
    expect(stdout).not.toContain("images.tar");
  });

  test("an archive is what skopeo reads", async () => {
    const file = join(folder, "images.tar");
    expect(await runImage([name, "--tarball", file, ...build])).toEqual({ code: 0, stdout: "", stderr: "" });
    const { stdout } = await run("skopeo", ["inspect", "--raw", `oci-archive:${file}:pvc-protection-warn`]);
    expect(JSON.parse(stdout).manifests).toHaveLength(1);
  });

  const reference = (text: string) => `# fn://${name} stays\ndata:\n  image:   "${text}"   # why\n`;
  const object = (label: string, text = `fn://${name}`) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${label}, namespace: default, labels: {a: ` +
    `${label}}}\n${reference(text)}`;

  test("npm run resolve prints YAML as it is, with images by digest", async () => {
    const file = join(folder, "one.yaml");
    writeFileSync(file, `${object("b")}---\n${object("c")}`);
    const flags = ["--repo", `${registry.host}/resolved`, ...build];
    const outcome = await runCommand("build/resolve/main.ts", ["resolve", "-f", file, ...flags]);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    const { digest } = await registry.manifest(`resolved/${name}`, "latest");
    const image = `${registry.host}/resolved/${name}@${digest}`;
    expect(outcome.stdout).toBe(`${object("b", image)}---\n${object("c", image)}`);
    const selected = await runCommand("build/resolve/main.ts", ["resolve", "-f", file, "-l", "a=c", ...flags]);
    expect(selected.stdout).toBe(object("c", image));
  });

  test("npm run resolve of a reference to nothing names file and line, and nothing is pushed", async () => {
    const file = join(folder, "unknown.yaml");
    writeFileSync(file, `${object("b")}---\n${object("c", "fn://no/such")}`);
    const flags = ["--repo", `${registry.host}/unresolved`, ...build];
    const outcome = await runCommand("build/resolve/main.ts", ["resolve", "-f", file, ...flags]);
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(outcome.stderr).toMatch(
      /^holdfast: \S+\/unknown\.yaml:13: there is no function for fn:\/\/no\/such\. [^\n]*\n$/,
    );
    expect(await registry.tags(`unresolved/${name}`)).toBeUndefined();
  });

  test.skipIf(!kubectlFolder)("npm run apply gives kubectl what a kustomization makes, with its flags", async () => {
    const server = createApiServer({ clock: systemClock, random: seededRandom(1) });
    const http = await serveHttp(server);
    const client = createClient(server.handle, { clock: systemClock });
    const kustomization = join(folder, "kustomization");
    mkdirSync(kustomization);
    writeFileSync(join(kustomization, "one.yaml"), object("b"));
    writeFileSync(join(kustomization, "kustomization.yaml"), "resources: [one.yaml]\nnameSuffix: -x\n");
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigOf(http.url));
    const environment = { PATH: `${kubectlFolder}:${process.env.PATH}`, KUBECONFIG: kubeconfig };
    const flags = ["-k", kustomization, "--repo", `${registry.host}/applied`, ...build];
    try {
      const dry = await runCommand("build/resolve/main.ts", ["apply", ...flags, "--", "--dry-run=server"], environment);
      expect(dry).toMatchObject({ code: 0, stdout: "configmap/b-x created (server dry run)\n" });
      expect(await client.get(ConfigMap, "default", "b-x")).toBeUndefined();
      const outcome = await runCommand("build/resolve/main.ts", ["apply", ...flags], environment);
      expect(outcome).toMatchObject({ code: 0, stdout: "configmap/b-x created\n" });
      const { digest } = await registry.manifest(`applied/${name}`, "latest");
      const applied = await client.get(ConfigMap, "default", "b-x");
      expect(applied).toMatchObject({ data: { image: `${registry.host}/applied/${name}@${digest}` } });
      const refused = await runCommand(
        "build/resolve/main.ts",
        ["apply", ...flags, "--", "--no-such-flag"],
        environment,
      );
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain("unknown flag: --no-such-flag");
    } finally {
      await http.close();
    }
  });
});
