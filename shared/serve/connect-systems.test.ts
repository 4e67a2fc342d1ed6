import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

test("a system is connected once, by settings of the environment; credentials are read anew", async () => {
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

test("a system that the function does not declare is given to nobody", () => {
  const connect = connectSystems({}, {});
  expect(() => connect(craneWith(() => ({})))).toThrow("does not declare the system crane");
});
