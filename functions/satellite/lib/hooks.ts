/** What decides which hooks are on a Machine; the Machine is one that exists. */
export interface HookFacts {
  readonly evacuates: boolean;
  /** The satellite is alive; a deleting one has its hooks taken away step by step, never put back. */
  readonly satelliteDeleting: boolean;
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

/** What is to become of both hooks. */
export interface HookOrder {
  readonly hooks: "set" | "remove" | "leave";
  /** A warning where protection comes too late. */
  readonly late?: true;
  readonly because: string;
}

/**
 * Whether a Machine is to carry the hooks. They are never put back once an evacuation has begun: a missing one would
 * otherwise come again after its step. A Machine that is deleting at first sight gets them as long as its
 * infrastructure is there, because the Machine controller looks at them in every pass.
 */
export function hookOrder(facts: HookFacts): HookOrder {
  const some = facts.preDrain || facts.preTerminate;
  const both = facts.preDrain && facts.preTerminate;
  if (!facts.evacuates || facts.clusterDeleting) {
    const because = facts.evacuates ? "The whole cluster is being deleted." : "The satellite's policy is not Evacuate.";
    return { hooks: some ? "remove" : "leave", because };
  }
  if (facts.satelliteDeleting || facts.begun)
    return { hooks: "leave", because: "The steps of the evacuation release them." };
  if (both) return { hooks: "leave", because: "The Machine waits for the satellite." };
  if (!facts.machineDeleting)
    return { hooks: "set", because: "The Machine is to wait until its satellite is evacuated." };
  if (facts.infrastructureDeleting)
    return {
      hooks: "leave",
      late: true,
      because:
        "The Machine's server is already being deleted, and can no longer be held: its volumes were not evacuated.",
    };
  return {
    hooks: "set",
    because: "The Machine is already being deleted, and its server still runs: it is made to wait.",
  };
}
