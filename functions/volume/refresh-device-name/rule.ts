import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent } from "../../../shared/steps.ts";
import type { Subject } from "../../../shared/subject.ts";
import { poll, resync } from "../../../shared/sweep.ts";
import { Volume } from "../lib/kinds.ts";
import { lookAtVolume } from "../lib/look.ts";
import { isOf, pathIn } from "../lib/persistent-volume.ts";
import type { Salt } from "../lib/salt/client.ts";
import { salt } from "../lib/salt/system.ts";
import { volumesIn } from "../lib/subjects.ts";
import { phaseOf, statusWrites, type VolumeObject } from "../lib/volume.ts";

const name = "volume/refresh-device-name";

/** What a device's name goes with. */
interface Origin {
  readonly boot: string | undefined;
  readonly persistentVolume: string | undefined;
}

interface Known {
  readonly volume: VolumeObject;
  /** The node's present boot, and the PersistentVolume: of others, the name is another's. */
  readonly of: Origin;
  /** What the node said when it was asked for the device; absent when it need not be asked. */
  readonly answer?: { readonly device: string } | { readonly message: string };
}

/** The Volume; none when it is gone, or not available. */
export type Facts = readonly Known[];

export const refreshDeviceName = rule({
  name,
  doc: "Keeps `status.deviceName` at the kernel's name of a Volume's device, which each boot of its node may change.",
  settings: z.object({}),
  triggers: [on(Volume, ["update"])],
  permissions: [
    {
      resource: Volume,
      verbs: ["get", "patch"],
      writes: {},
      why: "to see whether the Volume is available, and to note for which boot its device is known",
    },
    {
      resource: Volume,
      subresource: "status",
      verbs: ["patch"],
      writes: { fields: ["status.deviceName"] },
      why: "to write the name of the device into the status",
    },
    { resource: PersistentVolume, verbs: ["get"], why: "to read the path of the device" },
    { resource: Node, verbs: ["get"], why: "to see whether the node was booted since the name was read" },
    // Salt may be away, which is written down on the Volume.
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the Volume that Salt is away, and to delete that Event when Salt is back",
    },
  ],
  sweep: [resync(Volume), poll(Volume, "1h")],
  steps: { known: silent, unknown: silent },
  systems: { salt },
  subjects,
  look: ({ name = "" }, { client, salt }): Promise<Facts> => lookAtOne(client, salt, name),
  decide,
});

function subjects(hint: Hint): readonly Subject[] {
  return volumesIn(hint, (volume) => phaseOf(volume) === "Available" && !volume.status?.deviceName);
}

async function lookAtOne(client: Client, salt: Salt, volumeName: string): Promise<readonly Known[]> {
  const facts = await lookAtVolume(client, volumeName);
  if (!facts || isBeingDeleted(facts.volume) || phaseOf(facts.volume) !== "Available") return [];
  const { volume, persistentVolume } = facts;
  const path = persistentVolume && isOf(persistentVolume, volume) ? pathIn(persistentVolume) : undefined;
  const node = await client.get<NodeObject>(Node, undefined, volume.spec.nodeName);
  const boot = node?.status?.nodeInfo?.bootID;
  const of = { boot, persistentVolume: persistentVolume?.metadata.uid };
  if (!path || !node || isKnown(volume, of)) return [{ volume, of }];
  return [{ volume, of, answer: await ask(salt, volume.spec.nodeName, path) }];
}

type NodeObject = KubernetesObject & { readonly status?: { readonly nodeInfo?: { readonly bootID?: string } } };

/** A device keeps its name as long as its node runs. */
function isKnown(volume: VolumeObject, { boot, persistentVolume }: Origin): boolean {
  const progress = readProgress(volume, name);
  const isSame = boot !== undefined && progress?.boot === boot && progress.persistentVolume === persistentVolume;
  return Boolean(volume.status?.deviceName) && isSame;
}

/**
 * The node's answer.
 *
 * @throws SystemError while Salt is away or refuses, which the pipeline writes down on the Volume
 */
async function ask(salt: Salt, minion: string, path: string): Promise<NonNullable<Known["answer"]>> {
  const answered = await salt.run({ minion, fun: "metalk8s_volumes.device_name", kwarg: { path } });
  if (!answered) return { message: `Minion ${minion} does not answer.` };
  const { success, result } = (answered.value ?? {}) as { success?: unknown; result?: unknown };
  if (success === true && typeof result === "string" && /^[\w!-]{1,64}$/.test(result)) return { device: result };
  return { message: typeof result === "string" ? result : "The node's answer is no name of a device." };
}

/** When to ask a node again that has not said which device it is. Milliseconds. */
const askAgain = 30_000;

function decide(facts: Facts, now: number): readonly Decision[] {
  return facts.flatMap(({ volume, of, answer }) => {
    const { wait, write } = about(Volume, volume);
    const title = `Volume ${volume.metadata.name}`;
    if (!answer) return [];
    if ("message" in answer) {
      const message = `The device of ${title} is not known now: ${answer.message}`;
      // The time is written once, and stays: the sweep sends a Volume whose time has passed with each tick.
      const before = readProgress(volume, name);
      const next = (before?.step === "unknown" && Date.parse(before.next ?? "")) || now + askAgain;
      return wait(message, { step: { name: "unknown" }, next });
    }
    const { device } = answer;
    const message = `${title} is ${device} on node ${volume.spec.nodeName}.`;
    const step = { name: "known", details: { ...of } };
    return write(message, statusWrites(volume, { deviceName: device }, now), { step });
  });
}
