import { listed } from "./data/copies.ts";
import type { DataFacts } from "./data/data-facts.ts";
import { emptiness } from "./data/emptiness.ts";
import { mayEvacuate } from "./data/may-evacuate.ts";
import { mayRemove } from "./data/may-remove.ts";
import { said } from "./data/said.ts";
import type { Verdict } from "./data/verdict.ts";
import { isEvacuating } from "./linstor/node.ts";
import type { VolumeFacts } from "./volumes/volume-facts.ts";

/** Another satellite of the same LinstorCluster. */
export interface Neighbour {
  readonly name: string;
  /** It goes, or is to be evacuated with its Machine. */
  readonly deleting: boolean;
  /** Its condition Configured is True for the generation that it has. */
  readonly configured: boolean;
}

/** All that the nine steps depend on, read in one run. */
export interface EvacuationFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of the Node, its LinstorSatellite and its LINSTOR node. */
  readonly node: string;
  /**
   * Whether the LinstorSatellite itself is being deleted, or only the Machine under it; and whether our finalizer holds
   * it.
   */
  readonly satellite: { readonly deleting: boolean; readonly held: boolean };
  /** The Machine that was written down while the Node existed; absent when there is none, or none any more. */
  readonly machine?: { readonly preDrain: boolean; readonly preTerminate: boolean };
  /** Why nothing is evacuated any more, as a sentence: the whole cluster is deleted, or there is no LINSTOR to ask. */
  readonly abandoned?: string;
  /**
   * Why no step is taken, as a sentence: the LinstorCluster leads to another LINSTOR meanwhile, which says nothing of
   * this node where it does not list it; or nobody knows any more what there was before LINSTOR was called.
   */
  readonly halted?: string;
  readonly volumes: readonly VolumeFacts[];
  readonly neighbours: readonly Neighbour[];
  /** What LINSTOR says; absent when it does not know the node. */
  readonly data?: DataFacts;
  /**
   * When the wait for neighbours began, as far as anybody wrote it down, and after how long they are no longer waited
   * for.
   */
  readonly neighboursSince?: number;
  readonly neighboursLimit?: number;
  /**
   * How long a volume may take to be attached elsewhere, in milliseconds; 0 is not at all, absent is as long as it
   * takes.
   */
  readonly reattachLimit?: number;
}

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

/** One step of the document: when it is done, and what it waits for until then. */
export interface EvacuationStep {
  readonly name: StepName;
  readonly doc: string;
  done(facts: EvacuationFacts): boolean;
  /** A sentence for people. Only asked while the step is not done. */
  waiting(facts: EvacuationFacts): string;
  /** A person must act. */
  stuck?(facts: EvacuationFacts): boolean;
}

/** The nine steps in their order. Each is done by a rule of the same name, which acts only when `stepOf` names it. */
export const steps: readonly EvacuationStep[] = [
  {
    name: "mark",
    doc: "Marks the volumes that are attached on the node, and makes those bound to it accessible from any Node.",
    done: (facts) =>
      facts.halted === undefined &&
      (moot(facts) || emptied(facts) || unmarked(facts).length + unreachable(facts).length === 0),
    // Whatever was done: no later step may be reached.
    stuck: ({ halted }) => halted !== undefined,
    waiting: (facts) => {
      if (facts.halted !== undefined) return facts.halted;
      const [missing, bound] = [unmarked(facts), unreachable(facts)];
      return missing.length
        ? `Volumes that are attached on the node are being marked: ${listed(missing.map(({ name }) => name))}.`
        : `Waiting for PVs to be schedulable on other nodes: ${listed(bound.map(({ name }) => name))}. The LINSTOR ` +
            "Affinity Controller sees to it within a minute; if it does not, look whether it runs and whether " +
            "another Node may use them.";
    },
  },
  {
    name: "await-satellites",
    doc: "Waits until every other satellite is ready, so that a replacement for this node takes part.",
    done: (facts) => moot(facts) || called(facts) || blocking(facts).length === 0 || overdue(facts),
    waiting: (facts) =>
      `Waiting for LinstorSatellites to become ready: ${listed(blocking(facts).map(({ name }) => name))}. Repair ` +
      "them, or delete those that will not come back.",
  },
  {
    name: "release-drain",
    doc: "Lets Cluster API drain the Node.",
    done: ({ machine }) => !machine?.preDrain,
    waiting: () => "The Machine is about to be drained: its pre-drain hook is being removed.",
  },
  {
    name: "await-reattach",
    doc:
      "Waits until the marked volumes are attached to other Nodes, so that LINSTOR places copies where they " +
      "are used.",
    done: (facts) => moot(facts) || called(facts) || detached(facts).length + reattached(facts).length === 0,
    waiting: (facts) =>
      detached(facts).length === 0
        ? `PVs are attached on other nodes: ${listed(reattached(facts).map(({ name }) => name))}.`
        : `Waiting for PVs to reattach on other nodes: ${listed(detached(facts).map(({ name }) => name))}. Their ` +
          "pods must leave the node and start elsewhere; where none will, remove the annotation " +
          `wait-for-reattach.evacuation.piraeus.io/${facts.node}.`,
  },
  {
    name: "evacuate",
    doc: "Calls LINSTOR to evacuate the node.",
    done: (facts) => moot(facts) || order(facts).do === "done",
    waiting: (facts) => order(facts).because + said(facts.data as DataFacts),
    stuck: (facts) => order(facts).do === "stop",
  },
  {
    name: "await-empty",
    doc: "Waits until no resource and no snapshot is left on the node, and all have their copies elsewhere.",
    done: (facts) => moot(facts) || remains(facts).do === "done",
    waiting: (facts) => `Waiting on remaining resources and snapshots: ${remains(facts).because}`,
    stuck: (facts) => remains(facts).do === "stop",
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
    done: ({ machine }) => !machine?.preTerminate,
    waiting: () => "The Machine is about to be shut down: its pre-terminate hook is being removed.",
  },
  {
    name: "remove",
    doc: "Removes the satellite from LINSTOR, and lets the LinstorSatellite go.",
    done: ({ satellite, data, abandoned }) =>
      satellite.deleting && !satellite.held && (!data || abandoned !== undefined),
    waiting: (facts) => {
      if (!facts.satellite.deleting)
        return "Waiting for Cluster API to delete the Node, with which its satellite goes.";
      return facts.abandoned ?? mayRemove(facts.data).because;
    },
    stuck: ({ satellite, data, abandoned }) => satellite.deleting && !abandoned && mayRemove(data).do === "stop",
  },
];

/** Where an evacuation stands. */
export interface Standing {
  readonly step: StepName | "done";
  /** What it waits for, or that it is done, in a sentence. */
  readonly because: string;
  /** Nothing will happen before a person acts. */
  readonly stuck: boolean;
}

/**
 * The first step that is not done. Derived anew from what is there each time, so that a volume that is attached late, a
 * restarted controller or a hook that somebody has put back leads to the step that deals with it; a step that was done
 * once proves nothing.
 */
export function stepOf(facts: EvacuationFacts): Standing {
  const step = steps.find((candidate) => !candidate.done(facts));
  if (!step) return { step: "done", because: "The satellite is evacuated and removed.", stuck: false };
  return { step: step.name, because: step.waiting(facts), stuck: step.stuck?.(facts) ?? false };
}

/** Satellites that are not ready and are no longer waited for, to be named in a warning. */
export function ignored(facts: EvacuationFacts): readonly string[] {
  return overdue(facts) ? blocking(facts).map(({ name }) => name) : [];
}

/** There is nothing left to protect: what was put on volumes and the Machine is only to be taken away. */
const moot = ({ data, abandoned }: EvacuationFacts) => abandoned !== undefined || data === undefined;

/** LINSTOR was called by us, and remembers: what comes before the call has served its purpose. */
const called = ({ data }: EvacuationFacts) => data?.calledAt !== undefined && isEvacuating(data.node);

/**
 * Nothing is left to be used there, so that a VolumeAttachment that is still listed (of a Node that no longer answers)
 * needs no marks: they would be put there and taken away for ever.
 */
const emptied = (facts: EvacuationFacts) => called(facts) && remains(facts).do === "done";

/** Attached on the node, and lacking marks. */
export const unmarked = ({ volumes }: EvacuationFacts) =>
  volumes.filter(
    ({ here, waits, overridden, localOnly, attachableElsewhere }) =>
      here && (!waits || ((localOnly || !attachableElsewhere) && !overridden)),
  );

/** An override takes effect only once the affinity controller has replaced the PersistentVolume. */
const unreachable = ({ volumes }: EvacuationFacts) =>
  volumes.filter(({ here, attachableElsewhere }) => here && !attachableElsewhere);

/** Deleting ones are not waited for: two that are deleted together would wait for each other. */
const blocking = ({ neighbours, node }: EvacuationFacts) =>
  neighbours.filter(({ name, deleting, configured }) => name !== node && !deleting && !configured);

/** A clock that was set back begins the wait anew. */
const overdue = ({ now, neighboursSince, neighboursLimit }: EvacuationFacts) =>
  neighboursSince !== undefined && neighboursLimit !== undefined && now - neighboursSince >= neighboursLimit;

const detached = ({ volumes, now, reattachLimit }: EvacuationFacts) =>
  volumes.filter(({ waits, here, elsewhere, leaving, waitsSince }) => {
    if (!waits || leaving || (elsewhere && !here)) return false;
    if (reattachLimit === undefined) return true;
    return reattachLimit > 0 && (waitsSince === undefined || now - waitsSince < reattachLimit);
  });

/** Attached elsewhere, and not to be waited for any more, which their annotations still say. */
export const reattached = ({ volumes }: EvacuationFacts) =>
  volumes.filter(({ waits, here, elsewhere }) => waits && elsewhere && !here);

/** Steps whose doing is LINSTOR's. Only asked where LINSTOR knows the node. */
const order = ({ data, now }: EvacuationFacts): Verdict => mayEvacuate(data as DataFacts, now);
const remains = ({ data }: EvacuationFacts): Verdict => emptiness(data as DataFacts);
