import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { jsonContent } from "../../build/images/oci/content.ts";
import { attachment, type Release } from "../../build/images/oci/image.ts";
import { pushRelease, type Whereabouts } from "../../build/images/registry/push-release.ts";
import { type DockerRegistry, startRegistry } from "./testing/docker-registry.ts";
import { type Interposed, interpose } from "./testing/interposed.ts";
import { impatient } from "./testing/registry-access.ts";
import { run } from "./testing/run-image.ts";
import { smallRelease } from "./testing/small-release.ts";

describe.skipIf(!inject("imageTools"))("pushing to Debian's docker-registry", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-push-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let registry: DockerRegistry;
  let between: Interposed;
  beforeEach(async () => {
    registry = await startRegistry();
    between = await interpose(registry.port, () => false);
  });
  afterEach(async () => {
    await between.stop();
    await registry.stop();
  });

  function push(release: Release, whereabouts: Whereabouts = new Map()): Promise<string> {
    const target = { repository: { host: between.host, path: "holdfast" }, tag: "v1" };
    return pushRelease(release, target, impatient(), whereabouts, () => {});
  }
  const uploads = () => between.seen.filter((line) => line.startsWith("PUT") && line.includes("/blobs/")).length;

  test("what is there under the tag is the release, byte for byte, and others can read it", async () => {
    const release = await smallRelease("a/b");
    const { digest } = release.index.descriptor;
    expect(await push(release)).toBe(`${between.host}/holdfast/a/b@${digest}`);
    expect((await registry.manifest("holdfast/a/b", "v1")).digest).toBe(digest);
    const copied = await run("skopeo", [
      "--insecure-policy",
      "copy",
      "--all",
      "--src-tls-verify=false",
      `docker://${registry.host}/holdfast/a/b:v1`,
      `oci:${folder}:v1`,
    ]);
    expect(copied).toMatchObject({ code: 0 });
  });

  test("what is there already is not sent again", async () => {
    await push(await smallRelease("a/b"));
    const before = between.seen.length;
    await push(await smallRelease("a/b"));
    expect(uploads()).toBe(7);
    const again = between.seen.slice(before).filter((line) => !line.startsWith("HEAD") && !line.startsWith("GET"));
    // The tag may be somewhere else meanwhile, so it is set; and manifests cost little.
    expect(again.every((line) => line.startsWith("PUT /v2/holdfast/a/b/manifests/"))).toBe(true);
  });

  test("layers that another function has are taken over from there", async () => {
    const whereabouts: Whereabouts = new Map();
    await push(await smallRelease("a/b"), whereabouts);
    const before = uploads();
    const second = await smallRelease("a/c");
    await push(second, whereabouts);
    // Two layers and two configs of its own, and what is attached; neither the shared layer nor the empty config of
    // attachments.
    expect(uploads() - before).toBe(5);
    expect((await registry.manifest("holdfast/a/c", "v1")).digest).toBe(second.index.descriptor.digest);
  });

  test("a registry without the referrers API gets a list under a tag, which holds nothing twice", async () => {
    const release = await smallRelease("a/b");
    const { descriptor } = release.index;
    const more = attachment(descriptor, jsonContent({ more: true }, "application/spdx+json"), {});
    await push(release);
    await push({ ...release, attached: [...release.attached, more] });
    await push(release);
    const { body } = await registry.manifest("holdfast/a/b", descriptor.digest.replace(":", "-"));
    expect(JSON.parse(body).manifests.map(({ artifactType }: { artifactType: string }) => artifactType)).toEqual([
      "application/vnd.in-toto+json",
      "application/spdx+json",
    ]);
  });
});
