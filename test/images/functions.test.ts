import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { serveHttp } from "../../local/apiserver/http.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { systemClock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import { certificates } from "../../shared/kubernetes/testing/certificates.ts";
import { claim } from "../harness/manifest.ts";
import { type DockerRegistry, startRegistry, user } from "./testing/docker-registry.ts";
import { architecture, writeHostBase } from "./testing/host-base.ts";
import { type Interposed, startProxy } from "./testing/interposed.ts";
import { kubeconfigOf } from "./testing/kubeconfig.ts";
import { type Outcome, run, runImage } from "./testing/run-image.ts";
import { canRunUnpacked, runUnpacked } from "./testing/run-unpacked.ts";

const functions = ["pvc-protection/protect", "pvc-protection/warn"];
const host = "kubernetes.test";

describe.skipIf(!inject("imageTools"))("the images of functions", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-functions-"));
  const base = `oci:${join(folder, "base")}`;
  let registry: DockerRegistry;
  let proxy: Interposed;
  let pushed: Outcome;

  beforeAll(async () => {
    await writeHostBase(join(folder, "base"));
    registry = await startRegistry({ tls: true, login: "password" });
    proxy = await startProxy(host, registry.port);
    mkdirSync(join(folder, "docker"));
    const auth = Buffer.from(`${user.name}:${user.password}`).toString("base64");
    writeFileSync(join(folder, "docker/config.json"), JSON.stringify({ auths: { [host]: { auth } } }));
    writeFileSync(join(folder, "authority.pem"), certificates.authority);
    pushed = await runImage([...functions, "--repo", `${host}/holdfast`, "--push", "--tag", "v1", "--base", base], {
      HTTPS_PROXY: `http://${proxy.host}`,
      NODE_EXTRA_CA_CERTS: join(folder, "authority.pem"),
      DOCKER_CONFIG: join(folder, "docker"),
    });
  });
  afterAll(async () => {
    await proxy?.stop();
    await registry?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const login = [`--creds=${user.name}:${user.password}`, "--tls-verify=false"];
  const image = (name: string) => `docker://${registry.host}/holdfast/${name}:v1`;

  test("are pushed by npm run image, which names them by digest, and says nothing else in a pipe", () => {
    expect(pushed).toMatchObject({ code: 0, stderr: "" });
    const names = functions.map((name) => expect.stringMatching(`^${host}/holdfast/${name}@sha256:[0-9a-f]{64}$`));
    expect(pushed.stdout.trim().split("\n")).toEqual(names);
  });

  test("are read by skopeo, which finds a platform each, and copies all of them", async () => {
    const { stdout } = await run("skopeo", ["inspect", "--raw", ...login, image(functions[0]!)]);
    const { manifests } = JSON.parse(stdout);
    expect(manifests.map(({ platform }: { platform: object }) => platform)).toEqual([
      { os: "linux", architecture: "amd64" },
      { os: "linux", architecture: "arm64", variant: "v8" },
    ]);
    for (const arch of ["amd64", "arm64"]) {
      const inspected = await run("skopeo", ["inspect", `--override-arch=${arch}`, ...login, image(functions[0]!)]);
      expect(JSON.parse(inspected.stdout)).toMatchObject({
        Architecture: arch,
        Created: "1970-01-01T00:00:00Z",
        Labels: { "org.opencontainers.image.title": `holdfast/${functions[0]}` },
      });
    }
    const source = login.map((flag) => flag.replace("--", "--src-"));
    for (const name of functions) {
      const target = `oci:${join(folder, name.replace("/", "-"))}:v1`;
      const copied = await run("skopeo", [
        "--insecure-policy",
        "copy",
        "--all",
        "--preserve-digests",
        ...source,
        image(name),
        target,
      ]);
      expect(copied).toMatchObject({ code: 0, stderr: "" });
    }
  });

  test.each(functions)("%s has the licences of its packages for each platform", async (name) => {
    for (const arch of ["amd64", "arm64"]) {
      const layout = `oci:${join(folder, `${name.replace("/", "-")}-${arch}`)}:v1`;
      const source = login.map((flag) => flag.replace("--", "--src-"));
      const copied = await run("skopeo", [
        "--insecure-policy",
        `--override-arch=${arch}`,
        "copy",
        ...source,
        image(name),
        layout,
      ]);
      expect(copied).toMatchObject({ code: 0 });
      const bundle = join(folder, `licences-${name.replace("/", "-")}-${arch}`);
      const rootless = canRunUnpacked ? [] : ["--rootless"];
      const unpacked = await run("umoci", ["unpack", ...rootless, "--image", layout.replace("oci:", ""), bundle]);
      expect(unpacked).toMatchObject({ code: 0 });
      const notices = readFileSync(join(bundle, "rootfs/function/THIRD-PARTY-NOTICES.txt"), "utf8");
      expect(notices).toMatch(/^pino \S+ \(MIT\)\n/m);
      expect(notices).toContain("Permission is hereby granted");
    }
  });

  test("share every layer but one", async () => {
    const layers = await Promise.all(
      functions.map(async (name) => {
        const inspected = await run("skopeo", ["inspect", `--override-arch=${architecture}`, ...login, image(name)]);
        return (JSON.parse(inspected.stdout) as { Layers: string[] }).Layers;
      }),
    );
    const [one = [], other = []] = layers;
    expect(one.slice(0, -1)).toEqual(other.slice(0, -1));
    expect(one.at(-1)).not.toBe(other.at(-1));
  });

  test("go to a layout that umoci unpacks, and the function runs from it as the image says", async () => {
    const layout = join(folder, "layout");
    const bundle = join(folder, "bundle");
    const flags = ["--platform", `linux/${architecture}`, "--sbom", "none", "--base", base];
    expect(await runImage([functions[0]!, "--oci-layout", layout, ...flags])).toMatchObject({ code: 0, stderr: "" });
    const rootless = canRunUnpacked ? [] : ["--rootless"];
    const unpacked = await run("umoci", ["unpack", ...rootless, "--image", `${layout}:pvc-protection-protect`, bundle]);
    expect(unpacked).toMatchObject({ code: 0 });
    const { process } = JSON.parse(readFileSync(join(bundle, "config.json"), "utf8"));
    expect(process).toMatchObject({
      user: { uid: 65532, gid: 65532 },
      args: ["/nodejs/bin/node", "/function/index.mjs"],
    });
    expect(readFileSync(join(bundle, "rootfs/function/THIRD-PARTY-NOTICES.txt"), "utf8")).toContain("pino");
    // To run it there takes root.
    if (canRunUnpacked) await protectsAClaim(bundle);
  });

  async function protectsAClaim(bundle: string): Promise<void> {
    const server = createApiServer({ clock: systemClock, random: seededRandom(1), objectInUseProtection: false });
    const http = await serveHttp(server);
    const client = createClient(server.handle, { clock: systemClock });
    // As if mounted there.
    writeFileSync(join(bundle, "rootfs/kubeconfig"), kubeconfigOf(http.url));
    const running = await runUnpacked(bundle, { KUBECONFIG: "/kubeconfig" });
    try {
      expect(running).toMatchObject({ uid: 65532, program: "/nodejs/bin/node", readOnly: true });
      const made = await client.create(PersistentVolumeClaim, claim({ namespace: "default", name: "data" }));
      const headers = {
        "content-type": "application/json",
        "ce-specversion": "1.0",
        "ce-id": "1",
        "ce-source": "test",
        "ce-type": "dev.knative.apiserver.resource.add",
        "ce-apiversion": "v1",
        "ce-kind": "PersistentVolumeClaim",
        "ce-namespace": "default",
        "ce-name": "data",
      };
      expect(await running.send(headers, made)).toEqual({ status: 204, body: "" });
      const after = await client.get(PersistentVolumeClaim, "default", "data");
      expect(after?.metadata.finalizers).toContain("holdfast.dev/pvc-protection");
    } finally {
      await running.stop();
      await http.close();
    }
  }
});
