import { describe, expect, test } from "vitest";
import type { Harness } from "./harness.ts";

/** A UUID that was never used. */
const newUid = () => crypto.randomUUID();

/** What the product's own functions do on a node, as far as rules load on it. Needs loop devices. */
export function volumes(at: () => Harness): void {
  interface Definition {
    readonly metadata: { readonly name: string; readonly uid: string };
    readonly spec: object;
  }
  const sparse = (spec: object = {}): Definition => ({
    metadata: { name: at().volume(), uid: newUid() },
    spec: {
      nodeName: at().minion,
      storageClassName: "metalk8s",
      storageClass: { parameters: { fsType: "ext4" } },
      sparseLoopDevice: { size: "64Mi" },
      ...spec,
    },
  });

  async function run(fun: string, volume: Definition) {
    const jid = at().jid();
    await at().salt.spawn({ jid, minion: at().minion, fun: `metalk8s_volumes.${fun}`, kwarg: { volume } });
    return at().ended(jid);
  }
  const ask = async (fun: string, kwarg: object) =>
    (await at().salt.run({ minion: at().minion, fun: `metalk8s_volumes.${fun}`, kwarg: { ...kwarg } }))?.value;

  describe("volumes", () => {
    test.each([
      ["a file system", "Filesystem", "by-uuid", 64 * 2 ** 20, /^loop\d+$/],
      ["a block device", "Block", "by-partuuid", (131_038 - 2048 + 1) * 512, /^loop\d+p1$/],
    ])("a sparse volume with %s is prepared, found and taken back", async (_, mode, by, size, device) => {
      const volume = sparse({ mode });
      const path = `/dev/disk/${by}/${volume.metadata.uid}`;
      const value = { changed: true, path, size: String(size), device: expect.any(String) };
      expect(await run("prepare", volume)).toEqual({ end: "success", value });
      expect(await run("prepare", volume)).toEqual({ end: "success", value: { ...value, changed: false } });
      expect(await ask("device_name", { path })).toEqual({ success: true, result: expect.stringMatching(device) });
      const { uid } = volume.metadata;
      expect(await run("unprepare", volume)).toEqual({ end: "success", value: { changed: true, uid } });
      expect(await run("unprepare", volume)).toEqual({ end: "success", value: { changed: false, uid } });
      expect(await ask("device_name", { path })).toEqual({ success: false, result: `device \`${path}\` not found` });
    });

    test.each<[string, object, RegExp]>([
      [
        "a StorageClass that is gone",
        { storageClass: "metalk8s" },
        /^ERROR: StorageClass metalk8s of volume .* not found$/,
      ],
      [
        "another file system",
        { storageClass: { parameters: { fsType: "btrfs" } } },
        /^ERROR: unsupported filesystem: btrfs\. /,
      ],
      ["another node", { nodeName: "elsewhere" }, /^ERROR: volume .* belongs to node elsewhere, not to /],
      ["no source", { sparseLoopDevice: null }, /^ERROR: volume .* must have exactly one of .*, and has 0$/],
      [
        "two sources",
        { rawBlockDevice: { devicePath: "/dev/none" } },
        /^ERROR: volume .* must have exactly one of .*, and has 2$/,
      ],
      ["a size of nothing", { sparseLoopDevice: { size: "0Gi" } }, /^ERROR: the size '0Gi' must be greater than 0$/],
      ["a size in no form", { sparseLoopDevice: { size: "1Ei" } }, /^ERROR: the size '1Ei' is not understood: /],
      [
        "no such disk",
        { sparseLoopDevice: null, rawBlockDevice: { devicePath: "/dev/none" } },
        /^ERROR: block device \/dev\/none cannot be found: No such file or directory$/,
      ],
    ])("%s fails with a sentence", async (_, spec, message) => {
      const volume = sparse(spec);
      expect(await run("prepare", volume)).toEqual({
        end: "failure",
        message: expect.stringMatching(message),
      });
    });
  });
}
