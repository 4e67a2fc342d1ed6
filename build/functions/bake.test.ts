import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunction, copyBundle } from "../images/function/bundle-function.ts";
import { digestOf } from "../images/oci/descriptor.ts";
import { rehearse } from "./bake.mjs";
import { functionEnvironment } from "./environment.mjs";

const folder = mkdtempSync(join(tmpdir(), "holdfast-bake-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [one, other] = ["one", "other"].map((name) => join(folder, name)) as [string, string];
beforeAll(async () => {
  const bundle = await bundleFunction("platform/dead-letter", join(folder, "bundles"));
  for (const copy of [one, other]) await copyBundle(bundle, copy);
  // At the same time, so that each disturbs the other.
  const faults = await Promise.all([one, other].map((copy) => rehearse(copy, { as: "/function" })));
  expect(faults).toEqual([undefined, undefined]);
});

const caches = (copy: string) =>
  Object.fromEntries(
    readdirSync(copy)
      .filter((name) => name.endsWith(".cache"))
      .map((name) => [name, digestOf(readFileSync(join(copy, name)))]),
  );

test("code caches are the same bytes also while the machine is busy", () => {
  expect(Object.keys(caches(one)).length).toBeGreaterThan(2);
  expect(caches(other)).toEqual(caches(one));
});

test("Node, as it is started in images, takes every code cache", () => {
  const check = `
    const { readdirSync, readFileSync } = require("node:fs");
    const { Script } = require("node:vm");
    for (const name of readdirSync(".").filter((name) => name.endsWith(".cjs.cache"))) {
      const filename = "/function/" + name.replace(".cache", "");
      const cachedData = readFileSync(name);
      const script = new Script(readFileSync(name.replace(".cache", ""), "latin1"), { filename, cachedData });
      console.log(script.cachedDataRejected);
    }`;
  const answers = execFileSync(process.execPath, ["-e", check], {
    cwd: one,
    encoding: "utf8",
    env: functionEnvironment,
  });
  expect(new Set(answers.trim().split("\n"))).toEqual(new Set(["false"]));
});

test("a function that hangs, and does not end when it is asked to, is ended, and that is a fault", async () => {
  const hanging = join(folder, "hanging");
  mkdirSync(hanging);
  const script = 'process.on("SIGTERM", () => {});\nsetInterval(() => {}, 1000);\n';
  writeFileSync(join(hanging, "index.mjs"), `${script}await new Promise(() => {});\n`);
  expect(await rehearse(hanging, { timeout: 5_000 })).toContain("Command failed");
});
