import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { overlaysOf } from "../../build/release/overlays.ts";
import { version as versionOf } from "../../cli/version.ts";
import { imageNames } from "../../esbuild.config.mjs";
import { architecture, foreign } from "../images/testing/host-base.ts";
import { kubectlFolder } from "../images/testing/kubectl.ts";
import { run } from "../images/testing/run-image.ts";
import { copyReleaseSources } from "./copy-release-sources.ts";
import { readMachO, readSignature } from "./mach-o.ts";

const root = join(import.meta.dirname, "../..");
const version = versionOf();
/** qemu for the other processor, and the folder with its libraries, as Debian has them. */
const debians =
  foreign === "arm64"
    ? (["/usr/bin/qemu-aarch64", "/usr/aarch64-linux-gnu"] as const)
    : (["/usr/bin/qemu-x86_64", "/usr/x86_64-linux-gnu"] as const);
const emulator = debians.every((path) => existsSync(path)) ? debians : undefined;
if (!kubectlFolder) console.log("No release is made: there is no kubectl that knows kustomize.");

describe.skipIf(!kubectlFolder || process.platform !== "linux")("a release", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-release-"));
  const first = join(folder, "first");
  const program = join(folder, "program");
  const other = join(folder, "other");
  const mac = join(folder, "mac");
  const windows = join(folder, "windows");
  const nodes = (of: string) => `linux-${of === "amd64" ? "x64" : of}`;
  const [here, elsewhere] = [nodes(architecture), nodes(foreign)];
  const path = `${kubectlFolder}${delimiter}${process.env.PATH}`;
  const digestOf = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
  const images = imageNames().map((name) => `registry.example/holdfast/${name}@sha256:${digestOf(name)}`);

  async function make(
    from: string,
    output: string,
    platforms: string,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    const main = join(from, "build/release/main.ts");
    const flags = ["--images", join(folder, "images"), "--platform", platforms, "--output", output];
    const outcome = await run(process.execPath, [main, "--trial", ...flags], { PATH: path, ...environment });
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  }

  beforeAll(async () => {
    writeFileSync(join(folder, "images"), images.join("\n"));
    await make(root, first, `linux/${architecture},linux/${foreign}`);
    for (const [of, into] of [
      [here, program],
      [elsewhere, other],
      ["darwin-arm64", mac],
      ["win-x64", windows],
    ] as const) {
      mkdirSync(into);
      execFileSync("tar", ["-xzf", join(first, archiveOf(of)), "-C", into]);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const archiveOf = (platform: string) => `holdfast-${version}-${platform}.tar.gz`;
  const sums = (of: string) =>
    readFileSync(join(of, "SHA256SUMS"), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("  ") as [string, string]);

  test("is the same bytes when another person makes it in another folder", async () => {
    const copy = join(folder, "else", "where");
    copyReleaseSources(copy);
    const second = join(folder, "second");
    await make(copy, second, `linux/${architecture}`, { TZ: "Pacific/Chatham", LANG: "tr_TR.UTF-8" });
    // A folder that is no repository has no commit for the statement to name, and this one has one processor only.
    const others = [`holdfast-${version}.provenance.json`, archiveOf(elsewhere)];
    const comparable = (of: string) => sums(of).filter(([, file]) => !others.includes(file));
    expect(comparable(second)).toEqual(comparable(first));
    expect(comparable(first).length).toBeGreaterThan(15);
  });

  test("has a checksum of each of its files, and a statement of where they are from", () => {
    const files = readdirSync(first).filter((file) => file !== "SHA256SUMS");
    expect(sums(first)).toEqual(files.map((file) => [digestOf(readFileSync(join(first, file))), file]));
    const statement = JSON.parse(readFileSync(join(first, `holdfast-${version}.provenance.json`), "utf8"));
    const subjects = statement.subject.map(({ name, digest }: { name: string; digest: { sha256: string } }) => [
      digest.sha256,
      name,
    ]);
    expect(subjects).toEqual(sums(first).filter(([, file]) => !file.endsWith(".provenance.json")));
    const roles = Map.groupBy(
      statement.predicate.buildDefinition.resolvedDependencies as { annotations: { role: string } }[],
      ({ annotations }) => annotations.role,
    );
    expect(roles.get("image")).toHaveLength(images.length);
  });

  test("has YAML for each overlay in which every image has a digest", () => {
    for (const overlay of overlaysOf(root)) {
      const text = readFileSync(join(first, `holdfast-${version}-${overlay}.yaml`), "utf8");
      expect(text).not.toContain("fn://");
      expect(text.match(/^\s*(?:- )?image: .*$/gm) ?? []).toSatisfy((lines: string[]) =>
        lines.every((line) => images.includes(line.replace(/^.*image: /, ""))),
      );
    }
    expect(readFileSync(join(first, `holdfast-${version}-default.yaml`), "utf8")).toContain(
      images.find((image) => image.includes("pvc-protection/release")),
    );
  });

  test("has the command line as one file that needs no Node", async () => {
    const bare = { PATH: "/nowhere" };
    expect(await run(join(program, "holdfast"), ["--version"], bare)).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
    expect(await run(join(program, "holdfast"), ["explain", "pvc/x"], bare)).toMatchObject({ code: 2 });
  });

  /** Whether Node looks for a program in this file of its own, and finds ours there. */
  function expectProgramIn(file: Buffer): void {
    // Node looks where this fuse says 1; as it comes, it says 0.
    const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:";
    const at = file.indexOf(fuse) + fuse.length;
    expect(file.toString("latin1", at, at + 1)).toBe("1");
    expect(file.includes("Shows and operates Holdfast on the cluster of a kubeconfig")).toBe(true);
  }

  // The number of a processor at its place in the header of an ELF file.
  const machines = { amd64: 0x3e, arm64: 0xb7 };

  test.each([
    [architecture, program],
    [foreign, other],
  ] as const)("has a file for linux/%s that is one of this processor, with the same program in it", (of, where) => {
    const file = readFileSync(join(where, "holdfast"));
    expect([file.toString("latin1", 0, 4), file.readUInt16LE(18)]).toEqual(["\u007fELF", machines[of]]);
    expectProgramIn(file);
  });

  test("has a file for Windows with the program in it, without a signature about another file", () => {
    const file = readFileSync(join(windows, "holdfast.exe"));
    const at = file.readUInt32LE(0x3c);
    const amd64 = 0x8664;
    expect([file.toString("latin1", at, at + 4), file.readUInt16LE(at + 4)]).toEqual(["PE\0\0", amd64]);
    expect(file.readBigUInt64LE(at + 24 + 112 + 8 * 4)).toBe(0n);
    expectProgramIn(file);
  });

  test("has a file for macOS with the program in it, and a signature of every page", () => {
    const file = readFileSync(join(mac, "holdfast"));
    const { processor, segments, signature } = readMachO(file);
    expect(processor).toBe(0x0100000c);
    expectProgramIn(file);
    const [start = 0, end = 0] = segments.get("NODE_SEA") ?? [];
    expect(file.subarray(start, end).includes("Shows and operates Holdfast")).toBe(true);
    // The loader wants the last segment to be the end of the file, and the signature to be its end.
    expect([segments.get("__LINKEDIT")?.[1], signature?.[1]]).toEqual([file.length, file.length]);
    const { name, covered, wrong } = readSignature(file, signature);
    expect({ name, covered, wrong }).toEqual({ name: "holdfast", covered: signature?.[0], wrong: [] });
    // What has one byte changed is found out.
    file[start + 100]! ^= 1;
    expect(readSignature(file, signature).wrong).toEqual([Math.floor((start + 100) / 4096)]);
  });

  if (!emulator) console.log("The file for the other processor is not run: there is no qemu with its libraries.");
  test.skipIf(!emulator)("has a file for the other processor that runs, on an emulator of it", async () => {
    const [qemu, libraries] = emulator as readonly [string, string];
    const environment = { PATH: "/nowhere", QEMU_LD_PREFIX: libraries };
    expect(await run(qemu, [join(other, "holdfast"), "--version"], environment)).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
    expect(await run(qemu, [join(other, "holdfast"), "explain", "pvc/x"], environment)).toMatchObject({ code: 2 });
  });

  test("has the pages of the console in that file", async () => {
    const kubeconfig = join(folder, "kubeconfig");
    const cluster = { name: "a", cluster: { server: "http://127.0.0.1:9" } };
    const contexts = [{ name: "a", context: { cluster: "a", user: "a" } }];
    const users = [{ name: "a", user: {} }];
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [cluster],
        users,
        contexts,
        "current-context": "a",
      }),
    );
    const served = spawn(join(program, "holdfast"), ["console", "--no-open", "--kubeconfig", kubeconfig]);
    try {
      const [said] = await once(served.stdout, "data");
      const [address = ""] = /http:\S+/.exec(String(said)) ?? [];
      const page = await fetch(new URL("/", address));
      expect(await page.text()).toContain("<script");
    } finally {
      served.kill("SIGKILL");
    }
  });

  test("has a bill of materials that names each package with its hash, and no folder or time", () => {
    const bill = JSON.parse(readFileSync(join(first, `holdfast-${version}.cdx.json`), "utf8"));
    expect(bill).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: "holdfast", version } } });
    expect(bill.metadata).not.toHaveProperty("timestamp");
    expect(bill.components.length).toBeGreaterThan(100);
  });

  test("has the licences of bundled packages: of all, in the npm package, and beside the command line", () => {
    const file = "THIRD-PARTY-NOTICES.txt";
    expect(sums(first).map(([, name]) => name)).toContain(file);
    const all = readFileSync(join(first, file), "utf8");
    // Of functions, of satellites alone, and of the pages of the console.
    const bundled = [/^pino \S+ \(MIT\)$/m, /^re2js \S+ \(MIT\)$/m, /^@patternfly\/react-core \S+ \(MIT\)$/m];
    for (const title of bundled) expect(all).toMatch(title);
    expect(all.match(/^Permission is hereby granted/gm)?.length).toBeGreaterThan(10);
    const archive = join(first, `holdfast-${version}.npm.tgz`);
    const packed = execFileSync("tar", ["-xzOf", archive, `package/dist/${file}`], { encoding: "utf8" });
    expect(packed).toBe(readFileSync(join(program, file), "utf8"));
    expect(packed).toMatch(/^@patternfly\/react-core \S+ \(MIT\)$/m);
  });

  test("says what has changed", () =>
    expect(readFileSync(join(first, "RELEASE-NOTES.md"), "utf8")).toMatch(/^# Holdfast .*\n\n(## Unreleased\n\n)?- /));
});
