import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { SystemTransport } from "../../../../shared/system/transport.ts";
import { evacuateNode } from "../commands.ts";
import { externalRoot, settingRoot } from "./controllers.ts";
import { linstor } from "./system.ts";

const still = { now: () => 0, after: () => () => {}, sleep: () => new Promise<void>(() => {}) };

/** Controllers whose requests are kept by the root that they go to. */
function open(linstorUrl: string, more: object = { linstorAllowHttp: "true" }) {
  const heard: string[] = [];
  const to =
    (root: string): SystemTransport =>
    async ({ method, path }) => {
      heard.push(`${root} ${method} ${path}`);
      return { status: 200, headers: {}, body: "[]" };
    };
  const controllers = linstor.connect({
    transport: to("own"),
    transportTo: to,
    clock: still,
    settings: linstor.settings.parse({ linstorUrl, linstorHosts: "other", ...more }),
    credential: async () => undefined,
  });
  return { controllers, heard };
}

test("no address, and that of LINSTOR_URL in whichever notation, is the LINSTOR that is set", () => {
  const { controllers } = open("http://Linstor:3370/");
  const own = controllers.at(undefined);
  expect(own.url).toBe("http://linstor:3370");
  for (const url of ["http://linstor:3370", "http://linstor", "HTTP://LINSTOR/"]) expect(controllers.at(url)).toBe(own);
});

test("another address is another LINSTOR: its own requests, and one client however it is written", async () => {
  const { controllers, heard } = open("http://linstor:3370");
  const other = controllers.at("https://other/");
  expect(other.url).toBe("https://other:3371");
  expect(controllers.at("https://OTHER:3371")).toBe(other);
  await other.nodes.list();
  await controllers.at(undefined).nodes.list();
  await controllers.at("http://linstor:80").nodes.list();
  expect(heard).toEqual(["https://other:3371 GET /v1/nodes", "own GET /v1/nodes", "http://linstor:80 GET /v1/nodes"]);
});

test("a LINSTOR_URL without a port is asked at HTTP's, and is not taken for one at LINSTOR's", () => {
  const { controllers } = open("http://linstor");
  expect(controllers.at("http://linstor")).not.toBe(controllers.at(undefined));
  expect(controllers.at("http://linstor:80")).toBe(controllers.at(undefined));
});

test("a command goes to the LINSTOR that it names, with all of its requests", async () => {
  const { controllers, heard } = open("http://linstor:3370");
  const command = evacuateNode({ at: "http://other", node: "node-1", called: "2026-01-01T00:00:00Z" });
  await command.send(controllers, command.input);
  expect(heard).toEqual(["http://other:3370 PUT /v1/nodes/node-1/evacuate", "http://other:3370 PUT /v1/nodes/node-1"]);
});

test("what is no address is asked nothing, and the LINSTOR that is set neither", async () => {
  const { controllers, heard } = open("http://linstor:3370");
  const command = evacuateNode({ at: "other", node: "node-1", called: "2026-01-01T00:00:00Z" });
  await expect(command.send(controllers, command.input)).rejects.toMatchObject({ failure: "refused" });
  expect(heard).toEqual([]);
});

test("a host that LINSTOR_HOSTS does not name is not asked, also if it looks like one that it names", () => {
  const { controllers, heard } = open("http://linstor:3370");
  for (const url of ["https://another", "https://other.example.com", "http://other@another"])
    expect(() => controllers.at(url)).toThrow(/LINSTOR_HOSTS does not name|no address/);
  expect(heard).toEqual([]);
});

test("the host of a LINSTOR_URL with https is not asked without TLS, unless LINSTOR_HOSTS names it", () => {
  const { controllers, heard } = open("https://linstor:3371");
  expect(controllers.at("https://linstor:443").url).toBe("https://linstor:443");
  expect(() => controllers.at("http://linstor:3370")).toThrow(/LINSTOR_HOSTS does not name/);
  expect(controllers.at("http://other").url).toBe("http://other:3370");
  expect(heard).toEqual([]);
});

test("http to a LINSTOR outside of the cluster is refused unless LINSTOR_ALLOW_HTTP allows it", async () => {
  for (const host of ["linstor", "linstor.example.com", "192.0.2.1", "linstor.svc.example.com"]) {
    const url = `http://${host}:3370`;
    const { controllers, heard } = open(url, {});
    for (const at of [undefined, `http://${host}:1`])
      await expect(controllers.at(at).version()).rejects.toMatchObject({
        failure: "refused",
        message: expect.stringMatching(/without TLS.*LINSTOR_ALLOW_HTTP/),
      });
    expect(heard).toEqual([]);
    await open(url).controllers.at(undefined).nodes.list();
  }
});

test("http to LINSTOR in the cluster is refused as it is shipped, unless LINSTOR_ALLOW_HTTP allows it", async () => {
  for (const host of ["linstor-controller.piraeus-datastore.svc", "linstor.piraeus-datastore.svc.cluster.local"]) {
    const url = `http://${host}:3370`;
    const { controllers, heard } = open(url, {});
    await expect(controllers.at(undefined).version()).rejects.toMatchObject({
      failure: "refused",
      message: expect.stringMatching(
        /without TLS.*LINSTOR_ALLOW_HTTP in the ConfigMap holdfast-satellite.* in-cluster/,
      ),
    });
    expect(heard).toEqual([]);
    await open(url, { linstorAllowHttp: "in-cluster" }).controllers.at(undefined).nodes.list();
  }
  const shipped = parse(readFileSync(join(import.meta.dirname, "../../../../knative/satellite/settings.yaml"), "utf8"));
  expect(shipped.data).toMatchObject({ LINSTOR_ALLOW_HTTP: "false" });
});

test.each([
  "http://localhost:3370",
  "http://127.0.0.1:3370",
  "http://[::1]:3370",
  "http://other:3370",
  "https://linstor.example.com:3371",
])("%s is asked with the shipped settings", async (url) => {
  const { controllers, heard } = open(url, {});
  await controllers.at(undefined).nodes.list();
  expect(heard).toEqual(["own GET /v1/nodes"]);
});

test("a failure at another address says where", async () => {
  const controllers = linstor.connect({
    transport: () => Promise.reject(new Error("refused")),
    transportTo: () => () => Promise.reject(new Error("refused")),
    clock: still,
    settings: linstor.settings.parse({ linstorHosts: "other" }),
    credential: async () => undefined,
  });
  await expect(controllers.at("http://other").version()).rejects.toThrow(
    "LINSTOR at http://other:3370 could not be asked (GET /v1/controller/version): refused.",
  );
});

test.each([
  ["http://linstor:3370", "http://linstor:3370"],
  ["http://linstor:3370/", "http://linstor:3370"],
  ["http://LINSTOR.Example.com:3370//", "http://linstor.example.com:3370"],
  ["http://linstor", "http://linstor:3370"],
  ["https://linstor", "https://linstor:3371"],
  ["https://linstor/", "https://linstor:3371"],
  ["https://linstor:443", "https://linstor:443"],
  ["http://linstor:80/", "http://linstor:80"],
  ["HTTP://linstor:03370/", "http://linstor:3370"],
  [" https://linstor:443 ", "https://linstor:443"],
  ["https://proxy/linstor/", "https://proxy:3371/linstor"],
  ["http://[FD00::1]:3370", "http://[fd00::1]:3370"],
  ["http://[fd00::1]", "http://[fd00::1]:3370"],
  ["http://192.0.2.1", "http://192.0.2.1:3370"],
])("an external controller at %j is asked at %s", (text, root) => expect(externalRoot(text)).toBe(root));

test.each([
  "",
  "linstor",
  "linstor:3370",
  "linstor://linstor",
  "ftp://linstor",
  "http://",
  "http://one,http://other",
  "http://one,other",
  "http://somebody:secret@linstor",
  "http://linstor?database=1",
  "http://linstor#1",
  "http://linstor:70000",
])("%j is no address", (text) => expect(externalRoot(text)).toBeUndefined());

test("without a port LINSTOR_URL is what HTTP says, as it is called", () => {
  expect(settingRoot("http://linstor/")).toBe("http://linstor:80");
  expect(settingRoot("https://linstor")).toBe("https://linstor:443");
  expect(settingRoot("https://somebody:secret@linstor:3371/")).toBe("https://linstor:3371");
  expect(settingRoot("http://linstor:3370")).toBe(externalRoot("http://linstor"));
});
