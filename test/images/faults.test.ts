import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";
import type { Release } from "../../build/images/oci/image.ts";
import { pushRelease } from "../../build/images/registry/push-release.ts";
import { freePorts } from "../cluster/free-ports.ts";
import { type DockerRegistry, startRegistry } from "./testing/docker-registry.ts";
import { cutAfter, interpose } from "./testing/interposed.ts";
import { impatient } from "./testing/registry-access.ts";
import { canHaveSmallDisk } from "./testing/small-disk.ts";
import { smallRelease } from "./testing/small-release.ts";

const large = 9 * 2 ** 20;

describe.skipIf(!inject("imageTools"))("when things go wrong on the way to a registry", () => {
  let registry: DockerRegistry;
  beforeEach(async () => {
    registry = await startRegistry();
  });
  afterEach(() => registry.stop());

  function push(release: Release, host: string, pauses: number[] = []): Promise<string> {
    const target = { repository: { host, path: "holdfast" }, tag: "v1" };
    return pushRelease(release, target, impatient(undefined, pauses), new Map(), () => {});
  }

  test("no registry answers: that is reported at once", async () => {
    const [port] = await freePorts(1);
    const pauses: number[] = [];
    await expect(push(await smallRelease("a/b"), `127.0.0.1:${port}`, pauses)).rejects.toThrow(
      `The registry 127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.`,
    );
    expect(pauses).toEqual([]);
  });

  test("an upload is cut in the middle: it is sent once more, in pieces", async () => {
    const release = await smallRelease("a/b", large);
    const patches: string[] = [];
    let cut = false;
    const between = await interpose(registry.port, async (incoming) => {
      if (incoming.method === "PATCH") patches.push(String(incoming.headers["content-range"]));
      if (cut || incoming.method !== "PUT" || Number(incoming.headers["content-length"]) < large) return false;
      cut = true;
      await cutAfter(5 * 2 ** 20, registry.port, incoming);
      return true;
    });
    onTestFinished(() => between.stop());
    await push(release, between.host);
    expect((await registry.manifest("holdfast/a/b", "v1")).digest).toBe(release.index.descriptor.digest);
    expect(cut).toBe(true);
    // This registry forgets uploads that were cut, so from the beginning.
    expect(patches).toEqual(["0-8388607", expect.stringMatching(/^8388608-\d+$/)]);
  });

  test("every upload is cut: it is reported once, and nothing is there under the tag", async () => {
    await push(await smallRelease("a/b"), registry.host);
    const before = (await registry.manifest("holdfast/a/b", "v1")).digest;
    const between = await interpose(registry.port, async (incoming) => {
      if (incoming.method !== "PUT" || !incoming.url?.includes("/blobs/")) return false;
      await cutAfter(100, registry.port, incoming);
      return true;
    });
    onTestFinished(() => between.stop());
    const pauses: number[] = [];
    await expect(push(await smallRelease("a/b", 20_000, 2), between.host, pauses)).rejects.toThrow(
      /^The upload of sha256:\w+ \(\d+ bytes\) for 127\.0\.0\.1:\d+\/holdfast\/a\/b was cut short: /,
    );
    expect(pauses.length).toBeGreaterThan(1);
    expect((await registry.manifest("holdfast/a/b", "v1")).digest).toBe(before);
  });

  test("more is sent at once than is taken: it is sent in pieces", async () => {
    const release = await smallRelease("a/b", large);
    const sent: string[] = [];
    const between = await interpose(registry.port, (incoming, outgoing) => {
      const length = Number(incoming.headers["content-length"] ?? 0);
      if (incoming.method === "PATCH") sent.push(String(incoming.headers["content-range"]));
      if (length <= 8 * 2 ** 20) return false;
      incoming.resume();
      incoming.on("end", () => outgoing.writeHead(413).end("too large"));
      return true;
    });
    onTestFinished(() => between.stop());
    await push(release, between.host);
    expect((await registry.manifest("holdfast/a/b", "v1")).digest).toBe(release.index.descriptor.digest);
    expect(sent).toEqual(["0-8388607", expect.stringMatching(/^8388608-\d+$/)]);
  });

  test("a manifest is refused: the tag stays where it was", async () => {
    await push(await smallRelease("a/b"), registry.host);
    const before = (await registry.manifest("holdfast/a/b", "v1")).digest;
    const between = await interpose(registry.port, (incoming, outgoing) => {
      if (incoming.method !== "PUT" || !incoming.url?.includes("/manifests/")) return false;
      incoming.resume();
      outgoing.writeHead(403, { "content-type": "application/json" });
      outgoing.end(JSON.stringify({ errors: [{ code: "DENIED", message: "the quota is used up" }] }));
      return true;
    });
    onTestFinished(() => between.stop());
    await expect(push(await smallRelease("a/b", 20_000, 2), between.host)).rejects.toThrow(
      /^The registry has not taken the manifest 127\.0\.0\.1:\d+\/holdfast\/a\/b@sha256:\w+: 403, DENIED: the quota is used up\.$/,
    );
    expect((await registry.manifest("holdfast/a/b", "v1")).digest).toBe(before);
  });

  test.skipIf(!canHaveSmallDisk)("the registry's disk is full: the tag stays where it was", async () => {
    const full = await startRegistry({ disk: "1m" });
    onTestFinished(() => full.stop());
    await push(await smallRelease("a/b"), full.host);
    const before = (await full.manifest("holdfast/a/b", "v1")).digest;
    const pauses: number[] = [];
    await expect(push(await smallRelease("a/b", 2 * 2 ** 20, 2), full.host, pauses)).rejects.toThrow(
      // Whichever write it was that found no room; for some, the registry also returns the words of its system.
      /^The registry (has not taken sha256:\w+|lets nothing be uploaded to) .*: 500, UNKNOWN: unknown error(?: \(.*: no space left on device\))?\.$/,
    );
    expect(pauses.length).toBeGreaterThan(1);
    expect((await full.manifest("holdfast/a/b", "v1")).digest).toBe(before);
  });
});
