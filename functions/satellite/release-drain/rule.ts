import { about } from "../../../shared/about.ts";
import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { normal } from "../../../shared/steps.ts";
import { evacuation } from "../lib/evacuation.ts";
import { hooksPatch, preDrainHook } from "../lib/machine.ts";
import { mayStep } from "../lib/satellite-rule.ts";

export const releaseDrain = chainRule(evacuation, "release-drain", {
  doc: "Lets Cluster API drain the Node of a satellite whose volumes may move, and whose neighbours are ready.",
  permissions: mayStep({
    why: "to see how far its evacuation is, and to note when it is looked at next",
    hooks: [preDrainHook],
    whyMachine: "to remove the hook that keeps Cluster API from draining the Node",
    events: "the satellite and its Machine",
  }),
  act: ({ facts, standing, act }) => {
    const { machine } = facts;
    if (!machine) return [act(standing.message, [])];
    const note =
      facts.is === "abandoned"
        ? facts.message
        : `The volumes of Node ${facts.node} may be attached to other Nodes: it may be drained.`;
    return [
      act(standing.message, [hooksPatch(machine, { [preDrainHook]: null })]),
      about(machine.kind, machine.object).record(note, normal("SatelliteAllowedToBeDrained")),
    ];
  },
});
