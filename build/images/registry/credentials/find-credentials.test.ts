import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { configFiles, readConfigs } from "./docker-config.ts";
import { findCredentials } from "./find-credentials.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-credentials-"));
beforeAll(() => {
  // Helpers are found by their name; this one keeps a file of logins by registry.
  helper(
    "vault",
    `read registry; grep "^$registry " ${join(folder, "vault")} | cut -d" " -f2- | grep . || {
    echo "credentials not found in native keychain"; exit 1; }`,
  );
  helper("broken", "echo no such bus >&2; exit 2");
  helper("mad", "echo hello");
  helper("hasty", "exit 7");
  writeFileSync(
    join(folder, "vault"),
    `registry.test {"ServerURL":"registry.test","Username":"from-vault","Secret":"s"}
token.test {"ServerURL":"token.test","Username":"<token>","Secret":"i"}
https://index.docker.io/v1/ {"Username":"hub","Secret":"h"}
`,
  );
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function helper(name: string, script: string): void {
  const file = join(folder, `docker-credential-${name}`);
  writeFileSync(file, `#!/bin/sh\n[ "$1" = get ] || exit 9\n${script}\n`);
  chmodSync(file, 0o755);
}

let files = 0;
/** Finds the login for a repository in configurations, the first of which comes first. */
async function find(repository: string, ...configs: object[]) {
  const written = configs.map((config) => {
    const file = join(folder, `${++files}.json`);
    writeFileSync(file, JSON.stringify(config));
    return file;
  });
  const [host = "", ...path] = repository.split("/");
  return findCredentials(await readConfigs(written), host, path.join("/"));
}

const auth = (text: string) => ({ auth: Buffer.from(text).toString("base64") });

test.each([
  ["by the host", { "registry.test": auth("a:b") }],
  ["by an address", { "https://registry.test": auth("a:b") }],
  ["by an address of the protocol's first version", { "https://registry.test/v1/": auth("a:b") }],
  ["as name and password", { "registry.test": { username: "a", password: "b" } }],
])("a login is found %s", async (_, auths) => {
  expect(await find("registry.test/x/y", { auths })).toMatchObject({ user: "a", password: "b" });
});

test("a password may have colons in it", async () => {
  const auths = { "registry.test": auth("a:b:c") };
  expect(await find("registry.test/x", { auths })).toMatchObject({ user: "a", password: "b:c" });
});

test("of logins for parts of a registry the longest that fits is taken", async () => {
  const auths = {
    "registry.test": auth("all:1"),
    "registry.test/x": auth("x:1"),
    "registry.test/x/y": auth("xy:1"),
    "registry.test/x/yy": auth("no:1"),
  };
  expect(await find("registry.test/x/y/z", { auths })).toMatchObject({ user: "xy" });
  expect(await find("registry.test/xy", { auths })).toMatchObject({ user: "all" });
});

test("a login to another registry is not shown to this one", async () => {
  const auths = { "registry.test:5000": auth("a:b"), "registry.test.example": auth("a:b"), test: auth("a:b") };
  expect(await find("registry.test/x", { auths })).toBeUndefined();
});

test("an identity token goes before a name", async () => {
  const auths = { "registry.test": { ...auth("00000000-0000-0000-0000-000000000000:"), identitytoken: "i" } };
  expect(await find("registry.test/x", { auths })).toMatchObject({ identityToken: "i" });
});

test("the first configuration that has one is taken, and the login says which it was", async () => {
  const found = await find(
    "registry.test/x",
    {},
    { auths: { "registry.test": auth("a:b") } },
    { auths: { "registry.test": auth("c:d") } },
  );
  expect(found).toMatchObject({ user: "a", origin: expect.stringMatching(/\d+\.json$/) });
});

test("helpers are asked: one for the registry, or one for all; those that know none are no trouble", async () => {
  const forAll = { credsStore: "vault", auths: { "registry.test": {} } };
  expect(await find("registry.test/x", forAll)).toEqual({
    user: "from-vault",
    password: "s",
    origin: "docker-credential-vault",
  });
  expect(await find("docker.io/library/x", forAll)).toMatchObject({ user: "hub" });
  expect(await find("token.test/x", { credHelpers: { "token.test": "vault" } })).toMatchObject({ identityToken: "i" });
  expect(await find("other.test/x", forAll)).toBeUndefined();
  expect(await find("other.test/x", { ...forAll, auths: { "other.test": auth("a:b") } })).toMatchObject({ user: "a" });
});

test("a helper that fails is named by its name", async () => {
  const ask = (credsStore: string) => find("registry.test/x", { credsStore });
  await expect(ask("broken")).rejects.toThrow(
    "docker-credential-broken has not given the login to registry.test: no such bus.",
  );
  await expect(ask("hasty")).rejects.toThrow("docker-credential-hasty has not given the login to registry.test: 7.");
  await expect(ask("mad")).rejects.toThrow("docker-credential-mad has answered with something else than a login");
  await expect(ask("absent")).rejects.toThrow("docker-credential-absent cannot be run: spawn");
});

test(
  "configurations are where docker and podman have them; one that is no JSON, or not to be read, " +
    "is named by its name",
  async () => {
    const environment = { REGISTRY_AUTH_FILE: "/r", DOCKER_CONFIG: "/d", XDG_RUNTIME_DIR: "/x", HOME: "/h" };
    expect(configFiles(environment)).toEqual([
      "/r",
      "/d/config.json",
      "/x/containers/auth.json",
      "/h/.config/containers/auth.json",
    ]);
    expect(configFiles({ HOME: "/h" })[0]).toBe("/h/.docker/config.json");
    const file = join(folder, "broken.json");
    writeFileSync(file, "{");
    await expect(readConfigs([file])).rejects.toThrow(`${file} should hold the logins of docker, and is no JSON.`);
    const directory = join(folder, "directory");
    mkdirSync(directory);
    await expect(readConfigs([directory])).rejects.toThrow(`The logins in ${directory} cannot be read: EISDIR`);
    expect(await readConfigs([join(folder, "none.json"), join(file, "none.json")])).toEqual([]);
  },
);
