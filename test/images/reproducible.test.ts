import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { copyRepository } from "./testing/copy-repository.ts";
import { architecture, foreign, writeHostBase } from "./testing/host-base.ts";
import { run } from "./testing/run-image.ts";

const rule = "pvc-protection/warn";
const file = `functions/${rule}/rule.ts`;
const root = join(import.meta.dirname, "../..");

/** As of another user, with other pauses, at another time: a clock that is a year ahead. */
const nextYear = `data:text/javascript,${encodeURIComponent(`
  const { now } = Date;
  const later = 365 * 86_400_000;
  globalThis.Date = class extends Date {
    constructor(...args) { args.length > 0 ? super(...args) : super(now() + later); }
    static now() { return now() + later; }
  };`)}`;

describe.skipIf(!inject("imageTools"))("builds", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-reproducible-"));
  const elsewhere = join(folder, "else", "where");
  beforeAll(async () => {
    await writeHostBase(join(folder, "base"));
    copyRepository(elsewhere);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The digests of what a layout has, by name; attachments have none. */
  function digests(layout: string): Record<string, string> {
    const { manifests } = JSON.parse(readFileSync(join(layout, "index.json"), "utf8"));
    return Object.fromEntries(
      manifests.map(({ digest, annotations }: { digest: string; annotations?: Record<string, string> }) => [
        annotations?.["org.opencontainers.image.ref.name"] ?? `attached ${digest}`,
        digest,
      ]),
    );
  }

  async function build(at: string, name: string, args: readonly string[], { umask = "022", node = "", env = {} } = {}) {
    const layout = join(folder, name);
    const main = join(at, "build/images/main.ts");
    const flags = ["--oci-layout", layout, "--base", `oci:${join(folder, "base")}`, ...args];
    const command = [process.execPath, ...(node ? ["--import", node] : []), main, ...flags];
    const outcome = await run("sh", ["-c", `umask ${umask} && cd "$0" && exec "$@"`, at, ...command], env);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    return digests(layout);
  }

  test("of the same sources are the same in any folder, time, umask, zone and language", async () => {
    const here = await build(root, "one", [rule, "--platform", `linux/${architecture}`]);
    const there = await build(elsewhere, "other", [rule, "--platform", `linux/${architecture}`], {
      umask: "077",
      node: nextYear,
      env: { TZ: "Pacific/Chatham", LANG: "tr_TR.UTF-8", TMPDIR: folder, NODE_ENV: "production" },
    });
    // The index, and what is attached: a bill of materials, and a statement of where it is from.
    expect(Object.keys(here)).toHaveLength(3);
    expect(there).toEqual(here);
  });

  test("differ in one image when one line of one rule does", async () => {
    const others = ["pvc-protection/protect", "pvc-protection/release", "platform/sweep", "platform/dead-letter"];
    // For what cannot be run here, which takes less time.
    const flags = [rule, ...others, "--platform", `linux/${foreign}`, "--sbom", "none"];
    const before = await build(elsewhere, "before", flags);
    const source = readFileSync(join(elsewhere, file), "utf8");
    const changed = source.replace(/doc:(\s*)"/, 'doc:$1"Changed: ');
    expect(changed).not.toBe(source);
    writeFileSync(join(elsewhere, file), changed);
    const after = await build(elsewhere, "after", flags);
    const different = Object.keys(before).filter((name) => before[name] !== after[name]);
    expect(Object.keys(after)).toHaveLength(5);
    expect(different).toEqual([rule.replace("/", "-")]);
  });
});
