import { isEvacuating, isEvicted, isOnline } from "../linstor/node.ts";
import { isDiskless, isGoodCopy, isLeaving } from "../linstor/resource.ts";
import { copiesInTheMaking, copiesOn, copiesToBeMoved, goodCopies, listed, unknownCopies } from "./copies.ts";
import type { DataFacts } from "./data-facts.ts";
import { act, done, stop, type Verdict, wait } from "./verdict.ts";

/** Milliseconds after a call in which it is not repeated: a call whose answer was lost is still being carried out. */
const quiet = 150_000;

/**
 * Whether LINSTOR is to be called to evacuate the node, for the first time or again. `done` means that no call is due:
 * what was begun goes on by itself. The call is not idempotent, and harms where it comes at the wrong time, so:
 *
 * - only while the node is ONLINE, and every other node's state is known or it is offline (CONNECTED: still being read)
 * - never while any copy of what is on the node is being made, by whichever node's evacuation
 * - not for the first time while a copy of it is still on its way from another node: LINSTOR may count that one, and
 *   make no new one where it thereby has enough, so that one would be missing in the end
 * - never while a diskless use of a volume is going on: LINSTOR skips it, and does not come back to it
 * - never where a source is known not to be UpToDate and no other good copy exists: LINSTOR deletes it at once
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
    if (staying.length === 0) return done("LINSTOR evacuates the node, and everything on it is on its way.");
    if (making.length) return done(`LINSTOR makes new copies of ${listed(making.map(({ name }) => name))}.`);
    if (staying.some(({ inUse }) => inUse)) return done("LINSTOR moves what is in use once it is released.");
    if (!staying.some(({ replicated }) => replicated)) return done("LINSTOR cannot move what is left.");
  }
  if (calledAt !== undefined && now >= calledAt && now - calledAt < quiet)
    return wait("LINSTOR was called to evacuate the node just now, and may still be carrying it out.");

  if (isEvicted(node))
    return stop(
      `LINSTOR has evicted the node ${node.name} by itself. Bring its satellite back and restore the node ` +
        "in LINSTOR, or set the deletion policy to Delete to give up the copies that it has.",
    );
  if (!isOnline(node)) return offline(facts);
  const reading = nodes.filter(({ connection }) => connection === "CONNECTED");
  if (reading.length) return wait(`LINSTOR still reads the state of ${listed(reading.map(({ name }) => name))}.`);

  const unknown = here.filter(({ reported }) => !reported);
  if (unknown.length)
    return wait(`The satellite has not said yet how it is with ${listed(unknown.map(({ name }) => name))}.`);
  const storageOnly = staying.filter(({ replicated }) => !replicated);
  if (storageOnly.length)
    return stop(
      `${listed(storageOnly.map(({ name }) => name))} on the node ${node.name} cannot be moved, because DRBD is not ` +
        "among the layers: copy the data and delete it, or set the deletion policy to Delete to give it up.",
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
        "it has to be moved from there first. Where that lasts, look at what keeps its evacuation, or restore " +
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
  const unproven = staying.filter(
    (copy) => !isDiskless(copy) && !isGoodCopy(copy) && goodCopies(copy.name, facts).length === 0,
  );
  if (unproven.length)
    return stop(
      `No copy of ${listed(unproven.map(({ name }) => name))} is UpToDate on a node that is online, and LINSTOR ` +
        `would delete the one on ${node.name} without a replacement: make one UpToDate first.`,
    );
  return act(
    isEvacuating(node)
      ? `LINSTOR no longer works on ${listed([...names])}, which stayed on the node: it is called again.`
      : "Everything on the node can be moved.",
  );
}

/** What an administrator can do about a satellite that does not come back. */
export function offline(facts: Pick<DataFacts, "node">): Verdict {
  const { name, connection } = facts.node;
  return wait(
    `The satellite on ${name} is ${connection} in LINSTOR, so that its copies cannot be moved from it. Bring ` +
      "it back, or set the deletion policy to Delete to give up the copies that it has.",
  );
}
