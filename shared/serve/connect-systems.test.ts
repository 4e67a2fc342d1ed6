import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import * as z from "zod";
import { SettingsError } from "../settings.ts";
import { type SystemTools, system } from "../system/system.ts";
import { connectSystems } from "./connect-systems.ts";

const folder = mkdtempSync(join(tmpdir(), "connect-systems-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings = z.object({ craneUrl: z.string().default("http://crane") });
const craneWith = (connect: (tools: SystemTools<unknown>) => unknown) =>
  system({ name: "crane", doc: "Moves.", settings, credentials: { token: { doc: "A token." } }, ports: [80], connect });

test("a system is connected once, by settings of the environment; credentials are read again", async () => {
  const built: SystemTools<unknown>[] = [];
  const crane = craneWith((tools) => built.push(tools));
  const connect = connectSystems({ crane }, { CRANE_URL: "https://crane.example/", HOLDFAST_CREDENTIALS: folder });
  expect(connect(crane)).toBe(connect(crane));
  expect(built).toHaveLength(1);
  expect(built[0]?.settings).toEqual({ craneUrl: "https://crane.example/" });
  expect(await built[0]?.credential("token")).toBeUndefined();
  mkdirSync(join(folder, "crane"), { recursive: true });
  for (const token of ["first", "second"]) {
    writeFileSync(join(folder, "crane", "token"), `${token}\n`);
    expect(await built[0]?.credential("token")).toBe(token);
  }
});

test("an address that is none ends the function at its start, with the variable's name", () => {
  const crane = craneWith(() => ({}));
  const start = () => connectSystems({ crane }, { CRANE_URL: "crane" });
  expect(start).toThrow(SettingsError);
  expect(start).toThrow('CRANE_URL is "crane": expected the root of an HTTP service.');
});

test("another root of a system is reached with the same credentials, and over one transport", async () => {
  const heard: string[] = [];
  const servers = await Promise.all(
    ["own", "other"].map(async (name) => {
      const server = createServer(({ method, url, socket }, response) => {
        heard.push(`${name} ${method} ${url} by ${socket.remotePort}`);
        response.end(name);
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      return { server, root: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    }),
  );
  try {
    const [own, other] = servers.map(({ root }) => root) as [string, string];
    const crane = craneWith((tools) => tools);
    const tools = connectSystems({ crane }, { CRANE_URL: `${own}/` })(crane) as SystemTools<unknown>;
    expect(tools.transportTo(own)).toBe(tools.transport);
    expect(tools.transportTo(other)).toBe(tools.transportTo(other));
    const get = { method: "GET", path: "/a", headers: {} } as const;
    expect((await tools.transportTo(other)(get)).body).toBe("other");
    expect((await tools.transport(get)).body).toBe("own");
    expect((await tools.transportTo(other)(get)).body).toBe("other");
    expect(heard.map((line) => line.split(" by ")[0])).toEqual(["other GET /a", "own GET /a", "other GET /a"]);
    // The connection is used again.
    expect(heard[0]).toBe(heard[2]);
  } finally {
    for (const { server } of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
});

test("no rule gets a system that the function does not declare", () => {
  const connect = connectSystems({}, {});
  expect(() => connect(craneWith(() => ({})))).toThrow("does not declare the system crane");
});
