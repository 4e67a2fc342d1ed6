import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { pushRelease } from "../../build/images/registry/push-release.ts";
import type { RegistryAccess } from "../../build/images/registry/registry.ts";
import { registryAccessOf } from "../../build/images/registry/registry-access.ts";
import { certificates } from "../../shared/kubernetes/testing/certificates.ts";
import { type DockerRegistry, startRegistry, user } from "./testing/docker-registry.ts";
import { type Interposed, startProxy } from "./testing/interposed.ts";
import { impatient } from "./testing/registry-access.ts";
import { smallRelease } from "./testing/small-release.ts";
import { startTokenService, type TokenService } from "./testing/token-service.ts";

const right = { user: user.name, password: user.password, origin: "/home/a/.docker/config.json" };
const wrong = { ...right, password: "another" };

async function push(host: string, access: RegistryAccess): Promise<string> {
  const target = { repository: { host, path: "holdfast" }, tag: "v1" };
  return pushRelease(await smallRelease("a/b"), target, access, new Map(), () => {});
}

describe.skipIf(!inject("imageTools"))("a registry with passwords, behind TLS, with an authority of its own", () => {
  // A registry on this machine may have any certificate, so this one is reached by the other name that its certificate
  // has.
  const host = "kubernetes.test";
  const trusted = getCACertificates("default");
  let registry: DockerRegistry;
  let proxy: Interposed;
  beforeAll(async () => {
    registry = await startRegistry({ tls: true, login: "password" });
    proxy = await startProxy(host, registry.port);
    vi.stubEnv("HTTPS_PROXY", `http://${proxy.host}`);
  });
  afterEach(() => setDefaultCACertificates(trusted));
  afterAll(async () => {
    vi.unstubAllEnvs();
    await proxy.stop();
    await registry.stop();
  });
  const trust = () => setDefaultCACertificates([...trusted, certificates.authority]);

  test("takes what is pushed with the login that docker keeps", async () => {
    trust();
    const folder = mkdtempSync(join(tmpdir(), "holdfast-login-"));
    try {
      const auth = Buffer.from(`${user.name}:${user.password}`).toString("base64");
      writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: { [host]: { auth } } }));
      const { index } = await smallRelease("a/b");
      const pushed = await push(host, registryAccessOf({ DOCKER_CONFIG: folder }, false));
      expect(pushed).toBe(`${host}/holdfast/a/b@${index.descriptor.digest}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("refuses a wrong password, and it is reported where that one is from", async () => {
    trust();
    await expect(push(host, impatient(wrong))).rejects.toThrow(
      "The registry refuses the login from /home/a/.docker/config.json for kubernetes.test/holdfast/a/b: 401",
    );
  });

  test("wants a login of who has none, and it is reported how to get one", async () => {
    trust();
    await expect(push(host, impatient())).rejects.toThrow('"docker login kubernetes.test" keeps one.');
  });

  test("gets no request when no authority vouches for it, unless that is asked for", async () => {
    await expect(push(host, impatient(right))).rejects.toThrow(
      /^The certificate of kubernetes\.test is not trusted: .*NODE_EXTRA_CA_CERTS/,
    );
    await expect(push(host, { ...impatient(right), insecure: true })).resolves.toContain("@sha256:");
  });
});

describe.skipIf(!inject("imageTools"))("a registry that takes tokens of another service", () => {
  let registry: DockerRegistry;
  let tokens: TokenService;
  beforeAll(async () => {
    tokens = await startTokenService();
    registry = await startRegistry({ login: tokens.login });
  });
  afterAll(async () => {
    await registry.stop();
    await tokens.stop();
  });

  test("takes what is pushed with a token that allows it, which is asked for once", async () => {
    await expect(push(registry.host, impatient(right))).resolves.toContain("@sha256:");
    expect(tokens.given).toEqual([["repository:holdfast/a/b:pull,push"]]);
  });

  test("is given another token when one has run out", async () => {
    tokens.stale = 1;
    const before = tokens.given.length;
    await expect(push(registry.host, impatient(right))).resolves.toContain("@sha256:");
    expect(tokens.given.length - before).toBeGreaterThan(1);
  });

  test("is not bothered any more when every token has run out", async () => {
    tokens.stale = 1000;
    await expect(push(registry.host, impatient(right))).rejects.toThrow("The registry refuses the login from");
    tokens.stale = 0;
  });

  test("is of no use to who has no login there", async () => {
    await expect(push(registry.host, impatient(wrong))).rejects.toThrow(
      `${tokens.login.realm} gives the login from ${right.origin} no token for ${registry.host}: 401, ` +
        "UNAUTHORIZED: incorrect username or password.",
    );
    await expect(push(registry.host, impatient())).rejects.toThrow("gives a client without a login no token");
  });

  test("lets a second function take layers over, with a token for both repositories", async () => {
    const whereabouts = new Map();
    const target = { repository: { host: registry.host, path: "holdfast" }, tag: "v1" };
    for (const name of ["a/d", "a/e"])
      await pushRelease(await smallRelease(name, 1000, 7), target, impatient(right), whereabouts, () => {});
    expect(tokens.given).toContainEqual(["repository:holdfast/a/e:pull,push", "repository:holdfast/a/d:pull"]);
  });
});
