import type { Random } from "../../../eventing/random.ts";
import { NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { streamsOf } from "../../harness/simulated/streams.ts";
import type { Truth } from "../invariants/invariant.ts";
import { type Lane, patiently, type Sequence, type Step, sequenceOf } from "../sequence.ts";
import { host, otherHost } from "./openstack.ts";
import { computeIn, computePod, conditionOf, locksOn, nodeIn, openStackIn, podIn } from "./resources.ts";
import { cloudOf, isEnabled, isEvicted, isGone, namespace, serving, setState, sweepsToMove } from "./scenarios.ts";
import { evictions } from "./settings.ts";

/** An operator who clears the host and has it serve again, and may delete it in the end. */
function laneOfHost(random: Random): Lane {
  const steps: Step[] = [];
  for (let round = 1 + random.below(2); round > 0; round--) {
    steps.push((user) => setState(user, "DisabledAndCleared"));
    // Some are called off in the middle.
    if (random.below(3) > 0) steps.push((user) => patiently(user, isEvicted(user)));
    steps.push((user) => setState(user, "Enabled"));
    steps.push((user) => patiently(user, isEnabled(user)));
    if (random.below(2) === 0) steps.push(async (user) => cloudOf(user).boot(host));
  }
  if (random.below(2) === 0)
    steps.push(
      (user) =>
        user.attempt("agrees, and deletes NovaComputeNode", async (client) => {
          const patch = { metadata: { annotations: { "holdfast.dev/approve-eviction": "true" } } };
          await client.patch(NovaComputeNode, namespace, host, "merge", patch);
          await client.delete(NovaComputeNode, namespace, host);
        }),
      (user) => patiently(user, isGone(user)),
    );
  // Keystone and Nova alone, and requests about the host and about another one.
  const parts = ["keystone.stand-in", "nova.stand-in", host, otherHost];
  return { name: "host", needs: ["openstack", ...parts, `novacomputenodes/${host}`, `neutronl2agents/${host}`], steps };
}

/** One operator of one host. */
export function sequence(number: number): Sequence {
  const random = streamsOf(number)("sequence of eviction");
  const lanes = [laneOfHost(random)];
  const waits = { setting: evictions, sweepsAfterOutage: sweepsToMove };
  return sequenceOf({ ...waits, system: "eviction", external: "openstack", lanes, prepare: serving }, random);
}

/** The host, and where servers are; which of them were on it when an eviction was called off is a matter of time. */
export function end(truth: Truth): readonly string[] {
  const compute = computeIn(truth);
  const cloud = openStackIn(truth).standIn.cloud;
  const isEmptied = !compute || compute.spec?.state === "DisabledAndCleared";
  const servers = [...cloud.instances.values()].map(
    (one) =>
      `server ${one.name} is ${one.status}${one.isRebuilt ? ", rebuilt" : ""}${isEmptied ? ` on ${one.host}` : ""}`,
  );
  const service = cloud.hosts.get(host);
  return [
    compute
      ? `NovaComputeNode is to be ${compute.spec?.state}, and is Converged ${conditionOf(compute, "Converged")?.status}`
      : "NovaComputeNode is gone",
    `nova-compute is ${service?.isEnabled ? "enabled" : "disabled"}`,
    `its pod is ${podIn(truth, computePod) ? "there" : "gone"}`,
    `the Node has the locks ${locksOn(nodeIn(truth)).toSorted().join(", ")}`,
    ...servers.toSorted(),
  ];
}
