import type { Bench } from "../harness/server.ts";
import { access } from "./access.ts";
import { admission } from "./admission.ts";
import { agentPods } from "./agent-pods.ts";
import { daemonSetPatches } from "./daemon-set-patches.ts";
import { deletion } from "./deletion.ts";
import { events } from "./events.ts";
import { forgedWrites } from "./forged-writes.ts";
import { lists } from "./lists.ts";
import { mutatingPolicy } from "./mutating-policy.ts";
import { nodePolicy } from "./node-policy.ts";
import { patches } from "./patches.ts";
import { pods } from "./pods.ts";
import { policyFields } from "./policy-fields.ts";
import { quantities } from "./quantities.ts";
import { retentionPolicy } from "./retention-policy.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { statefulSets } from "./statefulsets.ts";
import { versions } from "./versions.ts";
import { watches } from "./watches.ts";
import { writePolicies } from "./write-policies.ts";

/**
 * What rules load on of the Kubernetes API, each point once. `open` gives a namespace of its own on the server the
 * contract is held against; the real one is right by definition.
 */
export function apiContract(open: () => Promise<Bench>): void {
  versions(open);
  deletion(open);
  patches(open);
  daemonSetPatches(open);
  serverSideApply(open);
  lists(open);
  quantities(open);
  watches(open);
  pods(open);
  events(open);
  admission(open);
  statefulSets(open);
  mutatingPolicy(open);
  retentionPolicy(open);
  nodePolicy(open);
  policyFields(open);
  access(open);
  forgedWrites(open);
  agentPods(open);
  writePolicies(open);
}
