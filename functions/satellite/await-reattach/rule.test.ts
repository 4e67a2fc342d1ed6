import { expect, test } from "vitest";
import { LinstorSatellite, VolumeAttachment } from "../lib/kinds.ts";
import { aLeaving, aSatellite, hintOf, now, volumeFactsOf } from "../lib/testing/seen.ts";
import { awaitReattach } from "./rule.ts";

const settings = awaitReattach.settings.parse({});
const decide = (seen: ReturnType<typeof aLeaving>) => awaitReattach.decide({ seen: [seen] }, now, settings);
const here = volumeFactsOf("pv-1", { here: true, waits: true, marked: true });

test.each<[string, object, "write" | "leave"]>([
  ["is attached there still", {}, "write"],
  ["is attached nowhere", { here: false }, "write"],
  ["is attached there and elsewhere", { elsewhere: true }, "write"],
  ["is going", { here: false, leaving: true }, "leave"],
])("a marked volume that %s", (_, more, verb) => {
  const [decision] = decide(aLeaving({ volumes: [{ ...here, ...more }] }));
  expect(decision?.do).toBe(verb);
  if (verb === "write") expect(decision).toMatchObject({ message: expect.stringContaining("pv-1") });
});

test("a volume that is attached elsewhere loses both annotations of the wait, and its claim shows it", () => {
  const volumes = [{ ...here, here: false, elsewhere: true }, volumeFactsOf("pv-2", { here: true, waits: true })];
  const [waiting, write, shown, ...rest] = decide(aLeaving({ volumes }));
  const annotations = {
    "wait-for-reattach.evacuation.piraeus.io/node-1": null,
    "wait-for-reattach-since.evacuation.piraeus.io/node-1": null,
  };
  expect(write).toMatchObject({ do: "write", writes: [{ name: "pv-1", patch: { metadata: { annotations } } }] });
  expect(shown).toMatchObject({ do: "record", event: { reason: "VolumeAttachedForEvacuation" } });
  expect(waiting?.message).toContain("to reattach on other nodes: pv-2");
  expect(rest).toEqual([]);
  const [last] = decide(aLeaving({ volumes: [{ ...here, here: false, elsewhere: true }] }));
  expect(last?.message).toBe("PVs are attached on other nodes: pv-1.");
});

test("a volume whose wait a person has ended loses the time of it when it is attached elsewhere, not before", () => {
  const ended = { ...here, waits: false, waitsSince: now - 60_000 };
  const [, write] = decide(aLeaving({ volumes: [{ ...ended, here: false, elsewhere: true }] }));
  const annotations = { "wait-for-reattach-since.evacuation.piraeus.io/node-1": null };
  expect(write).toMatchObject({ do: "write", writes: [{ name: "pv-1", patch: { metadata: { annotations } } }] });
  for (const more of [{}, { here: false }, { elsewhere: true }])
    expect(decide(aLeaving({ volumes: [{ ...ended, ...more }] }))).toMatchObject([{ do: "leave" }]);
});

test("a volume that was not attached again in time shows it once, when the evacuation goes on", () => {
  const volumes = [{ ...here, waitsSince: now - 300_000 }];
  const waiting = JSON.stringify({
    v: 1,
    uid: "u1",
    step: "waiting",
    since: new Date(now).toISOString(),
    because: "x",
  });
  const seen = (annotations: Record<string, string>) => {
    const { metadata, ...rest } = aSatellite();
    const satellite = { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
    return aLeaving({ volumes, reattachLimit: 300_000 }, { satellite });
  };
  const reasons = (annotations: Record<string, string>) =>
    decide(seen(annotations)).flatMap((one) => (one.do === "record" ? [one.event.reason] : []));
  expect(reasons({ "holdfast.dev/satellite.await-reattach": waiting })).toEqual(["VolumeNotAttachedForEvacuation"]);
  expect(reasons({})).toEqual([]);
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
