import { advanceUntilSettled } from "../harness/advance-until-settled.ts";
import type { Cluster, Setting } from "../harness/cluster.ts";
import type { WhenOver } from "../harness/open-namespace.ts";
import { type Explained, explainer, proveExplanations } from "./explainer.ts";
import { rulesOf } from "./installed-rules.ts";

/** A cluster in which everything that waits is explained whenever the scenario has let time pass. */
function withExplanations(cluster: Cluster, seen: Explained[]): Cluster {
  const { transport, clock, systems, setting } = cluster;
  const { installed } = rulesOf(setting);
  const passes = <T>(promise: Promise<T>) => advanceUntilSettled(cluster, "it is explained", promise);
  const { explainAll } = explainer({ transport, clock, systems, installed, passes }, seen);
  return {
    ...cluster,
    eventually: async (...waiting) => {
      const value = await cluster.eventually(...waiting);
      await explainAll();
      return value;
    },
    rest: async () => {
      await cluster.rest();
      await explainAll();
    },
  };
}

/**
 * Opens worlds in which all that waits in one setting, or in all, is explained by its cause, and proves that the
 * explanations are worth something; `prove` comes after the scenarios. Most other settings decide alike, and would cost
 * as much again.
 */
export function explaining(
  open: (setting: Setting, test: { whenOver: WhenOver }) => Promise<Cluster>,
  explained?: Setting,
) {
  const seen: Explained[] = [];
  return {
    open: async (...how: Parameters<typeof open>) => {
      const cluster = await open(...how);
      return !explained || how[0] === explained ? withExplanations(cluster, seen) : cluster;
    },
    prove: () => proveExplanations(seen),
  };
}
