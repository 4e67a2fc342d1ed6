import { expect, test } from "vitest";
import { LinstorSatellite, VolumeAttachment } from "../lib/kinds.ts";
import { aLeaving, aSatellite, hintOf, now, volumeFactsOf } from "../lib/testing/seen.ts";
import { awaitReattach } from "./rule.ts";

const settings = awaitReattach.settings.parse({});
const decide = (seen: ReturnType<typeof aLeaving>) => awaitReattach.decide([seen], now, settings);
const here = volumeFactsOf("pv-1", { here: true, waits: true, marked: true });

test.each<[string, object, "write" | "leave"]>([
  ["is attached there still", {}, "write"],
  ["is attached nowhere", { here: false }, "write"],
  ["is attached there and elsewhere", { elsewhere: true }, "write"],
  ["is attached elsewhere", { here: false, elsewhere: true }, "leave"],
  ["is going", { here: false, leaving: true }, "leave"],
])("a marked volume that %s", (_, more, verb) => {
  const [decision] = decide(aLeaving({ volumes: [{ ...here, ...more }] }));
  expect(decision?.do).toBe(verb);
  if (verb === "write") expect(decision).toMatchObject({ because: expect.stringContaining("pv-1") });
});

test("is asked about all that leave when a volume of the driver is attached or detached", () => {
  const attachment = (attacher: string) => ({
    ...aSatellite(),
    kind: VolumeAttachment.kind,
    apiVersion: VolumeAttachment.apiVersion,
    spec: { attacher, nodeName: "node-2", source: {} },
  });
  const asked = (attacher: string) =>
    awaitReattach.subjects(hintOf(VolumeAttachment, "update", attachment(attacher)), settings);
  expect(asked("linstor.csi.linbit.com")).toEqual([{ kind: LinstorSatellite }]);
  expect(asked("ebs.csi.aws.com")).toEqual([]);
});
