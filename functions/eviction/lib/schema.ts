import { z } from "zod";
import type { CustomKind } from "../../../shared/kubernetes/custom-kind.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import {
  ageColumn,
  condition,
  conditionColumn,
  conditionsOf,
  withStatus,
} from "../../../shared/kubernetes/status-conditions.ts";
import * as kinds from "./kinds.ts";
import { stuckReason, conditions as types } from "./names.ts";
import { maintenanceLabel } from "./node-lock.ts";

/** As Yaook's are: the status of Evicted is one of its own words, and others may say less than Kubernetes does. */
const conditions = conditionsOf(
  condition.partial({ reason: true, message: true, lastTransitionTime: true }).extend({
    status: z.string().max(64),
    lastUpdateTime: condition.shape.lastTransitionTime.optional(),
  }),
);

const valid = (rule: string, message: string) => ({ "x-kubernetes-validations": [{ rule, message }] });

const lockName = z
  .string()
  .max(63)
  .optional()
  .describe("What follows l2-lock.maintenance.yaook.cloud/ in the name of the lock. If absent: the kind.")
  .meta(
    valid(
      "self.matches('^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$')",
      "must be the name of an annotation: A to Z, a to z, 0 to 9, and . _ - between them",
    ),
  );
const template = z
  .looseObject({
    metadata: z.looseObject({}).optional(),
    spec: z.looseObject({ containers: z.array(z.looseObject({ name: z.string() })).min(1) }),
  })
  .describe("The template of the agent's pod. Holdfast keeps one such pod on the Node.");
const schedulingKey = z
  .string()
  .min(1)
  .max(316)
  .meta(
    valid(
      `!self.matches('(^|[.])(kubernetes|k8s)[.]io/') && self != '${maintenanceLabel}'`,
      "must not be a label of Kubernetes' own, nor the maintenance label, because Holdfast may not change those for it",
    ),
  );
const selector = z
  .object({
    matchLabels: z
      .record(z.string(), z.string())
      .describe("Labels of the pods on the Node that another operator keeps there.")
      .meta(valid("self.size() > 0", "must name a label")),
    schedulingLabel: z
      .object({ key: schedulingKey, value: z.string().max(63) })
      .describe("The label of the Node by which they are scheduled there. It is removed when they must go."),
  })
  .describe("The agent's pods where another operator keeps them.");

const status = z.looseObject({ conditions }).optional();

const evicting = {
  eviction: z
    .object({
      ironicNodeShutdown: z
        .object({ node: z.string().min(1).max(255).describe("The machine of this host: its name or uuid in Ironic.") })
        .optional()
        .describe("If the host is down, Ironic turns it off before its servers are started elsewhere."),
    })
    .optional()
    .describe("How the host is evicted."),
};
const dependent = <State extends z.ZodType, More extends z.ZodRawShape>(state: State, more: More) =>
  z.object({
    spec: z
      .object({ state, lockName, template: template.optional(), selector: selector.optional(), ...more })
      .meta(valid("has(self.template) != has(self.selector)", "must have a template or a selector, and not both")),
    status,
  });
const computeNode = dependent(
  z
    .enum(["Enabled", "Disabled", "DisabledAndCleared"])
    .default("Enabled")
    .describe("Whether the host gets new servers, and whether those that it has move away."),
  evicting,
);
// Neutron stops what an agent serves when it is disabled, so that there is no Disabled alone.
const agent = dependent(
  z
    .enum(["Enabled", "DisabledAndCleared"])
    .default("Enabled")
    .describe("Whether the agent serves, or others take over what it serves, after which it is disabled."),
  {},
);
const l2Agent = z.object({ spec: z.object({ template }), status });

/** What needs the L2 agent of its Node: the agents' specs are those of a NovaComputeNode, but for the states. */
export type DependentObject = KubernetesObject & z.input<typeof computeNode>;
export type NeutronL2AgentObject = KubernetesObject & z.input<typeof l2Agent>;

const dependentColumns = [
  { name: "State", type: "string" as const, jsonPath: ".spec.state" },
  conditionColumn("Enabled", types.enabled, "status"),
  conditionColumn("Evicted", types.evicted, "status"),
  // Empty where it is not stuck.
  { name: "Stuck", type: "string" as const, jsonPath: `.status.conditions[?(@.reason=="${stuckReason}")].reason` },
  conditionColumn("Since", types.evicted, "lastTransitionTime"),
  conditionColumn("Converged", types.converged, "reason"),
  ageColumn,
  // The longest comes last. It is empty where nothing is evicted.
  conditionColumn("Progress", types.evicted, "message"),
  conditionColumn("Message", types.converged, "message", 1),
];
const baseColumns = [
  conditionColumn("Converged", types.converged, "reason"),
  ageColumn,
  conditionColumn("Message", types.converged, "message", 1),
];
const custom = (kind: Kind, what: string, schema: z.ZodObject, when: string): CustomKind => ({
  kind,
  doc:
    `${what} on the Node of the same name, which ${schema === l2Agent ? "goes" : "leaves"} only when ${when}. ` +
    "Give the right to write it only to administrators of nodes: its template becomes a pod.",
  versions: [{ name: "v1", schema, ...withStatus, columns: schema === l2Agent ? baseColumns : dependentColumns }],
});
const whenUnneeded = "no compute node and no agent on the Node needs it any more";

/** Yaook's kinds, with a spec of our own: what their CustomResourceDefinitions are generated from. */
export const customKinds: readonly CustomKind[] = [
  custom(kinds.NovaComputeNode, "A nova-compute", computeNode, "its servers have moved away"),
  custom(kinds.NeutronL3Agent, "A Neutron L3 agent", agent, "other agents have its routers"),
  custom(kinds.NeutronDHCPAgent, "A Neutron DHCP agent", agent, "other agents have its networks"),
  custom(kinds.NeutronBGPDRAgent, "A BGP dynamic routing agent", agent, "other agents have its speakers"),
  custom(kinds.NeutronOVNBGPAgent, "An OVN BGP agent", agent, "a person agrees"),
  custom(kinds.NeutronL2Agent, "A Neutron L2 agent", l2Agent, whenUnneeded),
  custom(kinds.NeutronOVNAgent, "A Neutron OVN agent", l2Agent, whenUnneeded),
];
