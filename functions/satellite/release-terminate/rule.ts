import { about } from "../../../shared/about.ts";
import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { normal } from "../../../shared/steps.ts";
import { evacuation } from "../lib/evacuation.ts";
import { hooksPatch, preTerminateHook } from "../lib/machine.ts";
import { mayStep } from "../lib/satellite-rule.ts";

export const releaseTerminate = chainRule(evacuation, "release-terminate", {
  doc:
    "Lets Cluster API shut down the Node of a satellite that is evacuated, when no volume has a mark of it any " +
    "more.",
  permissions: mayStep({
    why: "to see how far its evacuation is, and to note when it is looked at next",
    hooks: [preTerminateHook],
    whyMachine: "to remove the hook that keeps Cluster API from shutting the server down",
    events: "the satellite and its Machine",
  }),
  act: ({ facts, standing, act }) => {
    const { machine } = facts;
    if (!machine) return [act(standing.message, [])];
    const note =
      facts.is === "abandoned"
        ? facts.message
        : `The satellite on Node ${facts.node} is evacuated: the Node may be shut down.`;
    return [
      act(standing.message, [hooksPatch(machine, { [preTerminateHook]: null })]),
      about(machine.kind, machine.object).record(note, normal("SatelliteAllowedToBeRemoved")),
    ];
  },
});
