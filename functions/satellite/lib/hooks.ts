import type { DeletionPolicy } from "./satellite.ts";

/** What decides which hooks are on a Machine; the Machine is one that exists. */
export interface HookFacts {
  readonly policy: DeletionPolicy;
  /** The satellite is being deleted, and goes without its policy: nothing is evacuated. */
  readonly letGo: boolean;
  readonly machineDeleting: boolean;
  /** Its infrastructure object is being deleted: nothing can hold the server any more. */
  readonly infrastructureDeleting: boolean;
  /** Cluster API's Cluster is being deleted, and everything with it. */
  readonly clusterDeleting: boolean;
  /** Some step of an evacuation was written down. */
  readonly begun: boolean;
  readonly preDrain: boolean;
  readonly preTerminate: boolean;
}

/** What is to become of both hooks; `drain`: the Machine is drained, and is not shut down yet. */
export interface HookOrder {
  readonly hooks: "set" | "remove" | "drain" | "leave";
  /** A warning where protection comes too late. */
  readonly late?: true;
  readonly message: string;
}

/**
 * Whether a Machine is to carry the hooks. They are never put back once an evacuation has begun: a missing one would
 * otherwise come again after its step. Until then a satellite that is being deleted needs them, too: its Machine may be
 * deleted at any time. A Machine that is deleting at first sight gets them as long as its infrastructure is there,
 * because the Machine controller looks at them in every pass.
 */
export function hookOrder(facts: HookFacts): HookOrder {
  const some = facts.preDrain || facts.preTerminate;
  const both = facts.preDrain && facts.preTerminate;
  const evacuates = facts.policy === "Evacuate";
  if (facts.policy === "Retain" && facts.machineDeleting && facts.preTerminate && !isBeyondHelp(facts)) {
    const message = "The satellite's policy is not Evacuate any more: the Machine waits until its data is elsewhere.";
    return { hooks: facts.preDrain ? "drain" : "leave", message };
  }
  if (!evacuates || facts.clusterDeleting) {
    const message = evacuates ? "The whole cluster is being deleted." : "The satellite's policy is not Evacuate.";
    return { hooks: some ? "remove" : "leave", message };
  }
  if (facts.letGo || facts.begun) return { hooks: "leave", message: "The steps of the evacuation remove the hooks." };
  if (both) return { hooks: "leave", message: "The Machine waits for the satellite." };
  if (!facts.machineDeleting)
    return { hooks: "set", message: "The Machine is to wait until its satellite is evacuated." };
  if (facts.infrastructureDeleting)
    return {
      hooks: "leave",
      late: true,
      message:
        "The Machine's server is already being deleted, and can no longer be held: its volumes were not evacuated.",
    };
  return {
    hooks: "set",
    message: "The Machine is being deleted, but its server still runs: the Machine is made to wait.",
  };
}

/** With any hooks, the server goes, or everything does. */
const isBeyondHelp = ({ clusterDeleting, infrastructureDeleting }: HookFacts) =>
  clusterDeleting || infrastructureDeleting;
