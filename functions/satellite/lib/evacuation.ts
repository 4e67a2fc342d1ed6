import { type ChainPosition, type ChainStep, chain } from "../../../shared/chain/chain.ts";
import type { WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { on } from "../../../shared/rule.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { type DataFacts, done, listed, type Verdict, warningsOf } from "./data/data-facts.ts";
import { emptiness, mayRemove } from "./data/emptiness.ts";
import { mayEvacuate } from "./data/may-evacuate.ts";
import { type EvacuationFacts, findSatellites, lookAtEvacuation } from "./evacuation-facts.ts";
import { LinstorSatellite } from "./kinds.ts";
import { isEvacuating, isOnline, sameName } from "./linstor/objects.ts";
import { linstor } from "./linstor/system.ts";
import { isGoing } from "./record.ts";
import { conditions, satelliteFinalizer } from "./satellite.ts";
import { satelliteRule } from "./satellite-rule.ts";
import type { VolumeFacts } from "./volumes.ts";

export type StepName =
  | "mark"
  | "await-satellites"
  | "release-drain"
  | "await-reattach"
  | "evacuate"
  | "await-empty"
  | "unmark"
  | "release-terminate"
  | "remove";

/** The nine steps of the document, in their order. Each is taken by a rule of the same name. */
export const steps: readonly ChainStep<EvacuationFacts, StepName>[] = [
  {
    name: "mark",
    doc: "Marks the volumes that are attached on the node, and makes those bound to it accessible from any Node.",
    done: (facts, now) =>
      facts.begun &&
      !isToBeNoted(facts) &&
      (isMoot(facts) || isEmptied(facts, now) || unmarked(facts).length + unreachable(facts).length === 0),
    waiting: (facts) => {
      const [missing, bound] = [unmarked(facts), unreachable(facts)];
      if (missing.length > 0)
        return `Volumes that are attached on the node are being marked: ${listed(missing.map(({ name }) => name))}.`;
      if (bound.length > 0)
        return (
          `Waiting for PVs to be schedulable on other nodes: ${listed(bound.map(({ name }) => name))}. The LINSTOR ` +
          "Affinity Controller does this within a minute. If it does not, check that it runs, and that " +
          "another Node may use them."
        );
      return `The evacuation of LinstorSatellite ${facts.node} begins: no volume has to be marked.`;
    },
  },
  {
    name: "await-satellites",
    doc: "Waits until every other satellite is ready, so that a replacement for this node can take copies.",
    done: (facts, now) => isMoot(facts) || isCalled(facts) || blocking(facts).length === 0 || isOverdue(facts, now),
    waiting: (facts) =>
      `Waiting for LinstorSatellites to become ready: ${listed(blocking(facts).map(({ name }) => name))}. Repair ` +
      "them, or delete those that will not come back.",
  },
  {
    name: "release-drain",
    doc: "Lets Cluster API drain the Node.",
    done: ({ hooks }) => !hooks?.preDrain,
    waiting: () => "The Machine is about to be drained: its pre-drain hook is being removed.",
  },
  {
    name: "await-reattach",
    doc:
      "Waits until the marked volumes are attached to other Nodes, so that LINSTOR places copies where they " +
      "are used.",
    done: (facts, now) =>
      isMoot(facts) || isCalled(facts) || detached(facts, now).length + reattached(facts).length === 0,
    waiting: (facts, now) => {
      const waited = detached(facts, now).map(({ name }) => name);
      if (waited.length === 0)
        return `PVs are attached on other nodes: ${listed(reattached(facts).map(({ name }) => name))}.`;
      return (
        `Waiting for PVs to reattach on other nodes: ${listed(waited)}. Their pods must leave the node and start ` +
        "elsewhere. If no pod will, remove only the annotation " +
        `wait-for-reattach.evacuation.piraeus.io/${facts.node}.`
      );
    },
  },
  {
    name: "evacuate",
    doc: "Calls LINSTOR to evacuate the node.",
    done: (facts, now) => order(facts, now).do === "done",
    waiting: (facts, now) => {
      const data = dataOf(facts);
      return order(facts, now).message + (data ? warningsOf(data) : "");
    },
    stuck: (facts, now) => order(facts, now).do === "stop",
    advice: (facts, now) => order(facts, now).advice,
  },
  {
    name: "await-empty",
    doc: "Waits until no resource and no snapshot is left on the node, and all have their copies elsewhere.",
    done: (facts, now) => remains(facts, now).do === "done",
    waiting: (facts, now) => `Waiting on remaining resources and snapshots: ${remains(facts, now).message}`,
    stuck: (facts, now) => remains(facts, now).do === "stop",
    advice: (facts, now) => remains(facts, now).advice,
  },
  {
    name: "unmark",
    doc: "Removes all temporary annotations from volumes.",
    done: ({ volumes }) => !volumes.some(({ marked }) => marked),
    waiting: ({ volumes }) =>
      `Annotations are being removed from ${listed(volumes.filter(({ marked }) => marked).map(({ name }) => name))}.`,
  },
  {
    name: "release-terminate",
    doc: "Lets Cluster API shut the Node down.",
    done: ({ hooks }) => !hooks?.preTerminate,
    waiting: () => "The Machine is about to be shut down: its pre-terminate hook is being removed.",
  },
  {
    name: "remove",
    doc: "Removes the satellite from LINSTOR, and then the finalizer of the LinstorSatellite.",
    done: (facts) => facts.satellite.deleting && !facts.satellite.held && dataOf(facts) === undefined,
    waiting: (facts) => {
      if (!facts.satellite.deleting)
        return "Waiting for Cluster API to delete the Node, with which its satellite goes.";
      return facts.is === "abandoned" ? facts.message : mayRemove(facts.data).message;
    },
    stuck: (facts) => facts.satellite.deleting && facts.is === "ready" && mayRemove(facts.data).do === "stop",
    advice: (facts) => (facts.is === "ready" ? mayRemove(facts.data).advice : undefined),
  },
];

/**
 * Milliseconds for which something must keep an evacuation before Holdfast calls for a person, and says which step may
 * give up data. Satellites and controllers that start again, and peers that connect, take less.
 */
export const patience = 120_000;

/** The evacuation of a satellite, from the deletion of it or its Machine to a node that LINSTOR does not list. */
export const evacuation = chain({
  system: "satellite",
  kinds: [LinstorSatellite],
  noun: "evacuation",
  stuckReason: "EvacuationStuck",
  patience,
  steps,
  rule: {
    ...satelliteRule,
    systems: { linstor },
    triggers: [on(LinstorSatellite, ["update"])],
    sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  },
  concerns: isGoing,
  find: findSatellites,
  look: lookAtEvacuation,
  conditions: (standing, { satellite }) => evacuationReport(standing, satellite),
  again: ({ satelliteLookAgain }) => satelliteLookAgain,
});

/** Satellites that are not ready and are no longer waited for, to be named in a warning. */
export function ignored(facts: EvacuationFacts, now: number): readonly string[] {
  return isOverdue(facts, now) ? blocking(facts).map(({ name }) => name) : [];
}

const dataOf = (facts: EvacuationFacts): DataFacts | undefined => (facts.is === "ready" ? facts.data : undefined);

/** There is nothing left to protect: what was put on volumes and the Machine is only to be taken away. */
const isMoot = (facts: EvacuationFacts) => dataOf(facts) === undefined;

/**
 * LINSTOR lists its node, and what is written down about that is of another address, or nothing. Before anything is
 * removed there: a node that is gone then cannot say any more that it was this one.
 */
export const isToBeNoted = (facts: EvacuationFacts) => !isMoot(facts) && Object.keys(facts.note).length > 0;

/** LINSTOR was called by us, and remembers: what comes before the call has served its purpose. */
const isCalled = (facts: EvacuationFacts) => {
  const data = dataOf(facts);
  return data?.calledAt !== undefined && isEvacuating(data.node);
};

/**
 * Nothing is left to be used there, so that a VolumeAttachment that is still listed (of a Node that no longer answers)
 * needs no marks: they would be put there and taken away for ever.
 */
const isEmptied = (facts: EvacuationFacts, now: number) => isCalled(facts) && remains(facts, now).do === "done";

/**
 * Attached on the node, and lacking marks. A volume that nothing claims any more will not be attached again, and the
 * affinity controller leaves it as it is.
 */
export const unmarked = ({ volumes }: EvacuationFacts) =>
  volumes.filter((volume) => volume.here && !volume.leaving && (lacksWait(volume) || lacksOverride(volume)));

/** It is to be waited for, and lacks the mark that says so. */
export const lacksWait = (volume: VolumeFacts): boolean => !volume.waits && !isWaitEnded(volume);

/** It can be used on no other Node, and lacks the mark that changes this. */
export const lacksOverride = ({ localOnly, attachableElsewhere, overridden }: VolumeFacts): boolean =>
  (localOnly || !attachableElsewhere) && !overridden;

/**
 * A person has removed the mark by which it is waited for, and that alone. A volume that comes back to the node has
 * lost the time of the wait as well, and one that was replaced has lost all marks: both are marked again.
 */
export const isWaitEnded = ({ waits, waitsSince }: VolumeFacts): boolean => !waits && waitsSince !== undefined;

/** An override takes effect only once the affinity controller has replaced the PersistentVolume. */
const unreachable = ({ volumes }: EvacuationFacts) =>
  volumes.filter(({ here, leaving, attachableElsewhere }) => here && !leaving && !attachableElsewhere);

/**
 * Deleting ones are not waited for: two that are deleted together would wait for each other. Whether LINSTOR is
 * connected with one, LINSTOR is asked: a condition may be old.
 */
const blocking = (facts: EvacuationFacts) => {
  const online = dataOf(facts)?.nodes.filter(isOnline) ?? [];
  return facts.neighbours.filter(
    ({ name, deleting, configured }) =>
      name !== facts.node && !deleting && !(configured && online.some((node) => sameName(node.name, name))),
  );
};

/** A clock that was set back begins the wait again. */
const isOverdue = ({ neighboursSince, neighboursLimit }: EvacuationFacts, now: number) =>
  neighboursSince !== undefined && neighboursLimit !== undefined && now - neighboursSince >= neighboursLimit;

const detached = ({ volumes, reattachLimit }: EvacuationFacts, now: number): readonly VolumeFacts[] =>
  volumes.filter(({ waits, here, elsewhere, leaving, waitsSince }) => {
    if (!waits || leaving || (elsewhere && !here)) return false;
    if (reattachLimit === undefined) return true;
    return reattachLimit > 0 && (waitsSince === undefined || now - waitsSince < reattachLimit);
  });

/**
 * Attached elsewhere, and not to be waited for any more, which their annotations still say. That a person has ended a
 * wait is over with that, too: one that comes back to the node later is waited for again.
 */
export const reattached = ({ volumes }: EvacuationFacts) =>
  volumes.filter((volume) => (volume.waits || isWaitEnded(volume)) && volume.elsewhere && !volume.here);

const nothingLeft = done("LINSTOR does not list the node, or is not asked about it any more.");

const order = (facts: EvacuationFacts, now: number): Verdict => {
  const data = dataOf(facts);
  return data ? mayEvacuate(data, now) : nothingLeft;
};
const remains = (facts: EvacuationFacts, _now: number): Verdict => {
  const data = dataOf(facts);
  return data ? emptiness(data) : nothingLeft;
};

/**
 * What an evacuation shows on the LinstorSatellite, under the name that piraeus-operator's code uses and under the one
 * that its documentation has; and its removal, which begins with its deletion. What only a person can end is an Error,
 * whose message upstream begins with that word; what cannot be asked is Unknown.
 */
export function evacuationReport(standing: ChainPosition, satellite: KubernetesObject): readonly WantedCondition[] {
  const { step } = standing;
  const isMoved = step === "unmark" || step === "release-terminate" || step === "remove" || step === "done";
  const evacuated = reported(standing, isMoved);
  const removed = isBeingDeleted(satellite)
    ? [{ type: conditions.deleted, ...reported(standing, step === "done") }]
    : [];
  return [...[conditions.evacuated, conditions.documented].map((type) => ({ type, ...evacuated })), ...removed];
}

function reported({ message, stuck, away }: ChainPosition, isCompleted: boolean): Omit<WantedCondition, "type"> {
  if (stuck) return { status: "False", reason: "Error", message: `Error: ${message}` };
  if (away !== undefined) return { status: "Unknown", reason: "Away", message };
  return isCompleted
    ? { status: "True", reason: "Completed", message }
    : { status: "False", reason: "InProgress", message };
}
