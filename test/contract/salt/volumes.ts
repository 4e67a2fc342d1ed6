import { describe, expect, test } from "vitest";
import type { Harness } from "./harness.ts";

/** A UUID that was never used. */
const newUid = () => crypto.randomUUID();

/** What the product's own states and functions do on a node, as far as rules load on it. Needs loop devices. */
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

  async function run(mods: string, volume: Definition, defined = true) {
    const { name } = volume.metadata;
    const jid = at().jid();
    const pillar = { volume: name, ...(defined ? { metalk8s: { volumes: { [name]: volume } } } : {}) };
    await at().salt.spawn({ jid, minion: at().minion, fun: "state.sls", kwarg: { mods, pillar } });
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
      const { name, uid } = volume.metadata;
      const path = `/dev/disk/${by}/${uid}`;
      expect(await run("metalk8s.volumes", volume)).toMatchObject({
        end: "success",
        states: [
          {
            id: `metalk8s-volume-${name}-prepared`,
            comment: `Storage for volume ${name} prepared.`,
            changes: { [name]: `prepared at ${path}` },
          },
        ],
      });
      expect(await run("metalk8s.volumes", volume)).toMatchObject({
        end: "success",
        states: [{ comment: `Storage for volume ${name} is already prepared.`, changes: {} }],
      });
      expect(await ask("device_info", { name })).toEqual({ size: String(size), path });
      expect(await ask("device_name", { path })).toEqual({ success: true, result: expect.stringMatching(device) });
      expect(await run("metalk8s.volumes.unprepared", volume, false)).toMatchObject({
        end: "success",
        states: [{ id: `metalk8s-volume-${name}-unprepared`, comment: `Storage for volume ${name} taken back.` }],
      });
      expect(await run("metalk8s.volumes.unprepared", volume)).toMatchObject({
        end: "success",
        states: [{ comment: `Storage for volume ${name} is already taken back.` }],
      });
      expect(await ask("device_name", { path })).toEqual({ success: false, result: `device \`${path}\` not found` });
      expect(await ask("device_info", { name })).toEqual(
        expect.stringMatching(/^ERROR: volume .* not found in pillar/),
      );
    });

    test.each<[string, object, RegExp]>([
      [
        "a StorageClass that is gone",
        { storageClass: "metalk8s" },
        /^StorageClass metalk8s of volume .* not found in pillar$/,
      ],
      [
        "another file system",
        { storageClass: { parameters: { fsType: "btrfs" } } },
        /^unsupported filesystem: btrfs\. /,
      ],
      ["another node", { nodeName: "elsewhere" }, /^volume .* belongs to node elsewhere, not to /],
      ["no source", { sparseLoopDevice: null }, /^volume .* must have exactly one of .*, and has 0$/],
      [
        "two sources",
        { rawBlockDevice: { devicePath: "/dev/none" } },
        /^volume .* must have exactly one of .*, and has 2$/,
      ],
      ["a size of nothing", { sparseLoopDevice: { size: "0Gi" } }, /^the size '0Gi' must be greater than 0$/],
      ["a size in no form", { sparseLoopDevice: { size: "1Ei" } }, /^the size '1Ei' is not understood: /],
      [
        "no such disk",
        { sparseLoopDevice: null, rawBlockDevice: { devicePath: "/dev/none" } },
        /^block device \/dev\/none cannot be found: No such file or directory$/,
      ],
    ])("%s fails with a sentence", async (_, spec, because) => {
      const volume = sparse(spec);
      expect(await run("metalk8s.volumes", volume)).toEqual({
        end: "failure",
        because: expect.stringMatching(because),
      });
    });

    test("a volume that neither the pillar nor the node knows", async () => {
      const because = expect.stringMatching(/^volume .* not found in pillar, and this node has no record of it$/);
      const volume = sparse();
      expect(await run("metalk8s.volumes", volume, false)).toEqual({ end: "failure", because });
      expect(await run("metalk8s.volumes.unprepared", volume, false)).toEqual({ end: "failure", because });
    });
  });
}
