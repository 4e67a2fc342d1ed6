import { createHash } from "node:crypto";
import {
  answeredCall,
  isDiskless,
  isEvacuating,
  isEvicted,
  isGoodCopy,
  isLeaving,
  isOnline,
  sameName,
} from "../linstor/objects.ts";
import {
  act,
  copiesInTheMaking,
  copiesOn,
  copiesToBeMoved,
  cutOffCopies,
  type DataFacts,
  done,
  goodCopies,
  listed,
  saidGood,
  stop,
  unknownCopies,
  type Verdict,
  wait,
} from "./data-facts.ts";
import { describeShortfalls, lowerPlaceCount, moreCopies, shortfalls } from "./replica-floor.ts";

/** Milliseconds after a call in which it is not repeated: one that is not answered may still be carried out. */
const quiet = { answered: 150_000, unanswered: 600_000 };
/** The same where LINSTOR has said that it cannot, and nothing has changed since. Milliseconds. */
const pause = 1_800_000;

/**
 * Whether LINSTOR is to be called to evacuate the node, for the first time or again. `done` means that no call is due:
 * what was begun goes on by itself. The call is not idempotent, and harms where it comes at the wrong time, so:
 *
 * - only while the node is ONLINE, or nothing is on it
 * - only while every other node's state is known, or that node is offline (CONNECTED: still being read)
 * - never while any copy of what is on the node is being made, by whichever node's evacuation
 * - not for the first time while a copy of it is still on its way from another node: LINSTOR may count that one, and
 *   make no new one where it thereby has enough, so that one would be missing in the end
 * - never while a diskless use of a volume is going on: LINSTOR skips it, and does not come back to it
 * - never where a source is known not to be UpToDate and no other good copy exists: LINSTOR deletes it at once
 * - never where fewer copies would be left than the place count asks for, and LINSTOR makes none: a source is stale, or
 *   it counts copies on nodes that go without being evacuated
 * - again only when what is left is all UpToDate, unused, and not on its way out: a restarted controller has forgotten
 *   it
 */
export function mayEvacuate(facts: DataFacts, now: number): Verdict {
  const { node, nodes, calledAt } = facts;
  const here = copiesOn(facts);
  const staying = here.filter((copy) => !isLeaving(copy));
  const names = new Set(staying.map(({ name }) => name));
  const making = copiesInTheMaking(names, facts);

  if (isEvacuating(node)) {
    if (staying.length === 0) return done("LINSTOR evacuates the node, and is moving everything on it.");
    if (making.length) return done(`LINSTOR makes new copies of ${listed(making.map(({ name }) => name))}.`);
    if (staying.some(({ inUse }) => inUse)) return done("LINSTOR moves what is in use once it is released.");
    if (!staying.some(({ replicated }) => replicated)) return done("LINSTOR cannot move what is left.");
  }
  if (calledAt !== undefined && now >= calledAt && now - calledAt < quietAfter(facts))
    return wait("LINSTOR was just called to evacuate the node, and may still be carrying it out.");
  const isInVain = isEvacuating(node) && facts.warnings.length > 0 && facts.tried === circumstances(facts);
  if (isInVain && calledAt !== undefined && now >= calledAt && now - calledAt < pause)
    return stop(
      `LINSTOR has not moved ${listed([...names])}. Holdfast asks again when another node, a copy elsewhere or ` +
        `another place count is there, and at ${new Date(calledAt + pause).toISOString()} in any case.`,
      `Add a node with room for it, or lower the place count of the resource group (${lowerPlaceCount}).`,
    );

  // LINSTOR's list is of its database, and says what is on a node that does not answer, too.
  const isEmpty = here.length === 0 && facts.snapshots.length === 0;
  if (isEvicted(node) && isEmpty) return done("LINSTOR has evicted the node, and nothing is on it.");
  if (isEvicted(node))
    return stop(
      `LINSTOR has evicted the node ${node.name} by itself.`,
      `Bring its satellite back and restore the node in LINSTOR, or ${giveUp}.`,
    );
  if (!isOnline(node) && !isEmpty) return offline(facts);
  const reading = nodes.filter(({ connection }) => connection === "CONNECTED");
  if (reading.length) return wait(`LINSTOR still reads the state of ${listed(reading.map(({ name }) => name))}.`);

  const unknown = here.filter(({ reported }) => !reported);
  if (unknown.length)
    return stop(
      `The satellite has not yet reported the state of ${listed(unknown.map(({ name }) => name))}.`,
      `If this lasts, restart the pod of the DaemonSet linstor-satellite.${node.name}, and look at its log.`,
    );
  const storageOnly = staying.filter(({ replicated }) => !replicated);
  if (storageOnly.length)
    return stop(
      `${listed(storageOnly.map(({ name }) => name))} on the node ${node.name} cannot be moved, because DRBD is not ` +
        "among the layers.",
      `Copy the data and delete it, or ${giveUp}.`,
    );
  const clients = staying.filter((copy) => isDiskless(copy) && copy.inUse !== false);
  if (clients.length)
    return wait(`${listed(clients.map(({ name }) => name))} is in use on the node without a copy there.`);
  if (making.length) return wait(`A copy of ${listed(making.map(({ name }) => name))} is still being made.`);
  const moving = isEvacuating(node) ? [] : copiesToBeMoved(names, facts);
  if (moving.length) {
    const which = listed(moving.map(({ name }) => name));
    return wait(
      `LINSTOR evacuates ${listed(moving.map((copy) => copy.node))} as well, where a copy of ${which} still is: ` +
        "it has to be moved from there first. If this lasts, see what that evacuation waits for, or restore " +
        "that node in LINSTOR.",
    );
  }
  const unknownElsewhere = isEvacuating(node) ? unknownCopies(names, facts) : [];
  if (unknownElsewhere.length) {
    const which = listed(unknownElsewhere.map(({ name }) => name));
    return wait(
      `A copy of ${which} is on ${listed(unknownElsewhere.map((copy) => copy.node))}, whose satellite is not online: ` +
        `bring it back, or delete that copy in LINSTOR, so that the evacuation can go on.`,
    );
  }
  const unproven = staying.filter((copy) => !isDiskless(copy) && goodCopies(copy.name, facts).length === 0);
  // A copy here that is cut off may have what was written last, even if the others are good.
  const cutOff = staying.filter((copy) => {
    const cutOff = cutOffCopies(copy.name, facts);
    return cutOff.includes(copy) || (unproven.includes(copy) && cutOff.length > 0);
  });
  if (cutOff.length)
    return stop(
      `The copies of ${listed(cutOff.map(({ name }) => name))} say UpToDate, but are not connected with each other, ` +
        "so that each may lack what was written last.",
      "Look at their connections (`drbdadm status RESOURCE`), and connect them again, so that they synchronise.",
    );
  if (unproven.length)
    return stop(
      `No copy of ${listed(unproven.map(({ name }) => name))} is UpToDate on a node that is online, and LINSTOR ` +
        `would delete the one on ${node.name} without a replacement.`,
      "Make one UpToDate first.",
    );
  const deleted = staying.filter((copy) => !isDiskless(copy) && (!isGoodCopy(copy) || hasEnough(copy.name, facts)));
  const short = shortfalls(facts).filter(({ definition }) => deleted.some(({ name }) => name === definition));
  if (short.length)
    return stop(
      `LINSTOR would delete copies on ${node.name} without a replacement, because they are not UpToDate, or there ` +
        `are enough on nodes that go as well, and too few would be left: ${describeShortfalls(short)}.`,
      `Wait until they are synchronised; or, for each, ${moreCopies}.`,
    );
  return act(
    isEvacuating(node)
      ? `LINSTOR no longer works on ${listed([...names])}, which stayed on the node: it is called again.`
      : isEmpty
        ? "Nothing is on the node. LINSTOR is called so that it places nothing there."
        : "Everything on the node can be moved.",
  );
}

/** LINSTOR takes the source for one too many, whether or not the others stay, and are connected. */
const hasEnough = (definition: string, facts: DataFacts) =>
  saidGood(definition, facts).length > (facts.placeCounts.get(definition) ?? 2);

const quietAfter = ({ node, calledAt }: DataFacts) =>
  answeredCall(node) === calledAt ? quiet.answered : quiet.unanswered;

/** The way out that loses data. What is written on the LinstorSatellite alone, its configurations put back. */
const giveUp =
  "set the deletion policy to Delete in a LinstorSatelliteConfiguration for its Node (where the Node is gone or is " +
  "not to have a satellite, in the LinstorSatellite) to give up the copies that it has";

/** What an administrator can do about a satellite that does not come back. */
export function offline(facts: Pick<DataFacts, "node">): Verdict {
  const { name, connection } = facts.node;
  return stop(
    `The satellite on ${name} is ${connection} in LINSTOR, so that its copies cannot be moved from it.`,
    `Bring it back, or ${giveUp}.`,
  );
}

/**
 * 16 hexadecimal digits for what decides whether LINSTOR can place copies of what stays on the node: the other nodes
 * that are online, whether it may place copies there, the good copies that there are elsewhere, and the place counts. A
 * call in the same circumstances has the same answer, but for the room in storage pools.
 */
export function circumstances(facts: DataFacts): string {
  const { node, nodes, placeCounts } = facts;
  const others = nodes.filter((one) => !sameName(one.name, node.name) && isOnline(one) && !isEvacuating(one));
  const staying = new Set(copiesOn(facts).flatMap((copy) => (isLeaving(copy) ? [] : [copy.name])));
  const copies = [...staying].sort().map((name) => {
    const elsewhere = goodCopies(name, facts).filter((copy) => !sameName(copy.node, node.name));
    return [name, placeCounts.get(name), elsewhere.map((copy) => copy.node).sort()];
  });
  const targets = others.map(({ name, props }) => `${name} ${props.AutoplaceTarget ?? ""}`).sort();
  const text = JSON.stringify([targets, copies]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
