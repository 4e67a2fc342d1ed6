import { isIPv4, isIPv6 } from "node:net";
import { type About, about } from "../../../shared/about.ts";
import { noteCall, wasJustCalled } from "../../../shared/chain/call-in-flight.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { poll, resync } from "../../../shared/sweep.ts";
import { moveNode, registerNode, setNodeProperties } from "../lib/configuration/commands.ts";
import {
  type ConfiguredSatellite,
  type ConfiguredSeen,
  lookAtConfigured,
} from "../lib/configuration/configured-satellite.ts";
import { DaemonSet, LinstorSatellite } from "../lib/kinds.ts";
import { isLeaving, leftAlone } from "../lib/left-alone.ts";
import type { Address, Linstor } from "../lib/linstor/client.ts";
import {
  isDiskless,
  isEvacuating,
  isEvicted,
  isOnline,
  isWitnessed,
  type LinstorNode,
  sameName,
  witness,
} from "../lib/linstor/objects.ts";
import { linstor } from "../lib/linstor/system.ts";
import { isAnother, linstorKey, noteChange } from "../lib/linstor-note.ts";
import { readRegistration, registrationKey } from "../lib/noted-calls.ts";
import { conditionWrites, isSettled, lifeConditions } from "../lib/satellite.ts";
import { mayLook, satelliteRule } from "../lib/satellite-rule.ts";
import { ofDaemonSet, satellitesIn } from "../lib/subjects.ts";
import { nodeNameProblem } from "../lib/volumes.ts";
import { lookAtAddresses } from "../lib/workload/running-pods.ts";

const name = "satellite/register";
/** A call is repeated only when the one before it has had time to be answered. Milliseconds. */
const patience = 30_000;

/** A satellite with the addresses of its pod, and all nodes of LINSTOR where it is to be registered. */
export type Facts =
  | (ConfiguredSeen & {
      readonly addresses: readonly string[];
      readonly nodes: readonly LinstorNode[] | undefined;
      /** Volumes of which LINSTOR lists no copy with a disk; only where the node of the satellite may have been one. */
      readonly without?: readonly string[];
      /** The root of the LINSTOR that was asked for them. */
      readonly url: string;
    })
  | undefined;

export const register = rule({
  name,
  doc: "Registers a satellite in LINSTOR with the address of its pod, and says whether LINSTOR is connected with it.",
  ...satelliteRule,
  triggers: [on(LinstorSatellite, ["add", "update"]), on(DaemonSet, ["update"])],
  permissions: [
    ...mayLook({
      why: "to note on the satellite in which LINSTOR it is registered, and how",
      writes: { annotations: [registrationKey, linstorKey] },
      conditions: [lifeConditions.available],
      events: "the satellite",
    }),
    { resource: Pod, verbs: ["list"], why: "to read the address of the pod of the satellite" },
  ],
  sweep: [resync(LinstorSatellite), poll(LinstorSatellite, "1h")],
  steps: {
    waiting: silent,
    registering: silent,
    moving: silent,
    adopting: silent,
    refused: warning("SatelliteNotRegistered"),
  },
  systems: { linstor },
  subjects: (hint) => [...satellitesIn(hint, name, isUnsettled), ...ofDaemonSet(hint)],
  look: async ({ name = "" }, { client, linstor, settings }): Promise<Facts> => {
    const seen = await lookAtConfigured(client, name, settings);
    if (!seen) return undefined;
    if (aloneBecause(seen)) return { ...seen, addresses: [], nodes: undefined, url: "" };
    const addresses = await lookAtAddresses(client, settings.satelliteNamespace, seen.satellite);
    const own = linstor.at(seen.controller);
    const nodes = await own.nodes.list();
    const isNew = nodes.some((one) => sameName(one.name, name)) || !comesBack(seen);
    return { ...seen, addresses, nodes, url: own.url, ...(isNew ? {} : { without: await copyless(own) }) };
  },
  decide,
});

/**
 * The Node was there long before its satellite: it may have had an earlier one, and its disks data of which LINSTOR was
 * made to know nothing any more (`linstor node lost`).
 */
function comesBack({ node, satellite }: ConfiguredSeen): boolean {
  const [came, made] = [node, satellite].map((one) => Date.parse(one?.metadata.creationTimestamp ?? ""));
  return made !== undefined && came !== undefined && made - came > 600_000;
}

/** So many names at most are noted: more would be too much for one annotation. */
const mostNoted = 2_000;

/** @throws SystemError */
async function copyless(linstor: Linstor): Promise<readonly string[]> {
  const names = (await linstor.definitions.list()).map(({ name }) => name);
  const found = (await linstor.resources.of(names)).filter((copy) => !isDiskless(copy));
  return names
    .filter((name) => !found.some((copy) => copy.name === name))
    .toSorted()
    .slice(0, mostNoted);
}

/**
 * Why a satellite is not registered, before LINSTOR is asked: one that leaves would come back, and no rule would
 * remove it. One that is evacuated needs its connection until the end, so LINSTOR must have the address of its pod.
 */
const aloneBecause = (seen: ConfiguredSeen) => leftAlone(seen, seen.policy === "Evacuate" ? undefined : leaves);
const leaves = "leaves, and is not registered again.";

const isUnsettled = (satellite: ConfiguredSatellite) =>
  !isBeingDeleted(satellite) && !isSettled(satellite, lifeConditions.available);

function decide(seen: Facts, now: number): readonly Decision[] {
  if (!seen) return [];
  const at = about(LinstorSatellite, seen.satellite);
  const alone = aloneBecause(seen);
  return [alone || !seen.nodes ? at.leave(alone ?? "LINSTOR was not asked.") : inLinstor(seen, seen.nodes, now, at)];
}

function inLinstor(seen: Exclude<Facts, undefined>, nodes: readonly LinstorNode[], now: number, at: About): Decision {
  const { satellite, addresses, url, controller } = seen;
  const { name } = satellite.metadata;
  const node = nodes.find((one) => sameName(one.name, name));
  const next = now + 10_000;
  const report = (isWell: boolean, reason: string, message: string) =>
    conditionWrites(satellite, [{ ...available, status: isWell ? "True" : "False", reason, message }], now);
  const isConnected = (message: string, note: Readonly<Record<string, string>> = {}) => {
    // A node that is listed proves that no call is under way any more: there was one, and this is its effect.
    const news = { ...note, ...(readRegistration(satellite)?.calls === 1 ? { [registrationKey]: null } : {}) };
    const noted = Object.keys(news).length > 0 ? [annotate(LinstorSatellite, satellite, news)] : [];
    const writes = [...report(true, "AsExpected", connected), ...noted];
    return writes.length > 0 ? at.write(message, writes) : at.leave(message);
  };
  const waits = (message: string) =>
    at.write(message, report(false, "NotConnected", message), { step: { name: "waiting" }, next });
  const refused = (why: string) =>
    at.write(why, report(false, "Error", `Error: ${why}`), { step: { name: "refused" }, next });

  const ip = addressFor(addresses, satellite.spec?.ipFamilies);
  const hasMoved = ip && node && !uses(node, addressOf(ip, node, satellite.spec?.internalTLS !== undefined));
  if (isLeaving(seen) && !hasMoved) return at.leave(`LinstorSatellite ${name} ${leaves}`);
  const unnamable = nameProblem(seen);
  if (unnamable && !node) return refused(unnamable);
  if (node && !/^(satellite|combined)$/i.test(node.type))
    return refused(
      `LINSTOR has a node ${name} of the type ${node.type}, which runs no satellite. Give it another name.`,
    );
  if (!ip)
    return node && isOnline(node) && isWitnessed(node) && !isAnother(satellite, url, node)
      ? isConnected(`LINSTOR is connected with the satellite on ${name}.`)
      : waits(`The satellite on ${name} has no pod that runs yet. Look at the DaemonSet linstor-satellite.${name}.`);
  const address = addressOf(ip, node, satellite.spec?.internalTLS !== undefined);

  const other = nodes.find((one) => one !== node && uses(one, address));
  if (other)
    return refused(
      `The satellite on ${name} has the address ${ip}, which LINSTOR has for the node ${other.name}. Two nodes of ` +
        `one address disturb each other: give ${other.name} its own address, or delete it in LINSTOR if it is gone.`,
    );
  if (!node) {
    if (wasJustCalled(readRegistration(satellite), now, patience))
      return waits(`LINSTOR was called to register ${name}, and does not list it yet.`);
    const message = `Holdfast has LINSTOR register ${name} with the address ${ip}.`;
    const { annotations, settled, unsent } = noteCall(LinstorSatellite, satellite, registrationKey, now);
    const note = { ...annotations, ...noteChange(satellite, url, undefined, seen.without) };
    return at.call(message, {
      step: { name: "registering" },
      writes: [annotate(LinstorSatellite, satellite, note)],
      // It stays, refused: without it the next look would call again at once.
      refused: settled("refused"),
      unsent: unsent(),
      command: registerNode({ at: controller, node: name, address, props: { [witness]: "holdfast" } }),
      next,
    });
  }
  if (isEvicted(node))
    return waits(`LINSTOR has evicted ${name}. The eviction is undone when its satellite is connected.`);
  if (node.flags.includes("DELETE"))
    return waits(`LINSTOR is deleting an earlier node ${name}. The satellite is registered when that node is gone.`);
  if (!uses(node, address)) return moved(seen, node, address, { at, waits, refused, next });
  // It answers at the address of the satellite's pod, which no other satellite can.
  if (isOnline(node) && !isWitnessed(node))
    return at.call(`LINSTOR has ${name} at the address of the satellite's pod: the node is marked as this one's.`, {
      step: { name: "adopting" },
      command: setNodeProperties({ at: controller, node: node.name, changes: { set: { [witness]: "holdfast" } } }),
      next,
    });
  if (isOnline(node)) return isConnected(`${name} is registered. ${connected}`, noteChange(satellite, url, node.uuid));
  const evacuated = isEvacuating(node) ? " It was evacuated." : "";
  return waits(`LINSTOR cannot use the satellite on ${name} yet: its connection is ${node.connection}.${evacuated}`);
}

type Says = (why: string) => Decision;
const available = { type: lifeConditions.available } as const;
const connected = "LINSTOR is connected with the satellite.";

/** A pod has another address each time; what else could have moved is the node of another cluster. */
function moved(
  { satellite, url, controller }: Exclude<Facts, undefined>,
  node: LinstorNode,
  address: Address,
  { at, waits, refused, next }: { at: About; waits: Says; refused: Says; next: number },
): Decision {
  const { name } = satellite.metadata;
  const present = node.interfaces.map(({ address }) => address).join(", ") || "none";
  const now = address.address;
  const what = `LINSTOR has a node ${name} with the address ${present}, and the satellite's pod has ${now}.`;
  if (isOnline(node) && node.interfaces.some((one) => one.address === now))
    return waits(`LINSTOR is still connected with ${name} as it was before its port or its certificates changed.`);
  // In every state but OFFLINE, something answers.
  if (node.connection !== "OFFLINE")
    return refused(`${what} Another satellite answers there: stop it, or rename its node in LINSTOR.`);
  if (!isWitnessed(node))
    return refused(
      `${what} Nothing says that it was registered for this Kubernetes cluster: delete it in LINSTOR if it is no ` +
        `more, or set its property ${witness} if it is this one.`,
    );
  if (isAnother(satellite, url, node))
    return refused(
      `${what} The satellite had its node in another LINSTOR until now: delete this one in LINSTOR if it is no more, ` +
        `or, if it is this one, run \`kubectl annotate linstorsatellite ${name} ${linstorKey}-\``,
    );
  return at.call(`Holdfast has LINSTOR look for ${name} at ${now}. Before, its pod was at ${present}.`, {
    step: { name: "moving" },
    command: moveNode({ at: controller, node: node.name, address }),
    next,
  });
}

/** Which name can neither be registered nor, where the policy needs it, be evacuated. */
function nameProblem({ satellite, policy }: ConfiguredSeen): string | undefined {
  const { name } = satellite.metadata;
  const label = name.split(".").find((one) => one.length > 63);
  if (label)
    return (
      `The Node's name has a part of ${label.length} characters, and LINSTOR takes 63. ` +
      "Use a shorter name for the Node."
    );
  return policy === "Evacuate" ? nodeNameProblem(name) : undefined;
}

/**
 * The first address of the families that the satellite is to use, in their order; of whichever family where none are
 * named.
 */
function addressFor(addresses: readonly string[], families: readonly string[] = []): string | undefined {
  const isOf = { IPv4: isIPv4, IPv6: isIPv6 } as Readonly<Record<string, (ip: string) => boolean>>;
  if (families.length === 0) return addresses[0];
  return families.flatMap((family) => addresses.filter((ip) => isOf[family]?.(ip)))[0];
}

/** A node keeps the name of the interface that it has: piraeus-operator names them by family. */
function addressOf(address: string, node: LinstorNode | undefined, tls: boolean): Address {
  const own = node?.interfaces.find(({ active }) => active) ?? node?.interfaces[0];
  return { name: own?.name ?? "default", address, ...(tls ? secured : plain) };
}
const plain = { port: 3366, encryption: "Plain" } as const;
const secured = { port: 3367, encryption: "SSL" } as const;

/** LINSTOR writes PLAIN where it was given Plain. */
const uses = ({ interfaces }: LinstorNode, { address, port }: Address) =>
  interfaces.some((one) => one.address === address && (one.port === undefined || one.port === port));
