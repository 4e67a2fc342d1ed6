import { ApiServerSource, Broker, PingSource, Trigger } from "../../eventing/kinds.ts";
import type { Column } from "../../shared/kubernetes/custom-kind.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { openDefinition } from "../cluster/open-definition.ts";

const age: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const ready: Column[] = ["status", "reason"].map((field) => ({
  name: field === "status" ? "Ready" : "Reason",
  type: "string",
  jsonPath: `.status.conditions[?(@.type=="Ready")].${field}`,
}));

// What a field may say is judged by the controller, which answers in the status; Knative's own schemas would let more
// through.
const definition = (kind: Kind, categories: string[], columns: Column[]) =>
  openDefinition(kind, { categories, columns });

const eventing = ["all", "knative", "eventing"];
const sources = ["all", "knative", "sources"];
const sink: Column = { name: "Sink", type: "string", jsonPath: ".status.sinkUri" };

/**
 * The CustomResourceDefinitions of the kinds of Knative Eventing that are obeyed here, with the columns Knative shows.
 */
export const eventingDefinitions = [
  definition(Broker, eventing, [
    { name: "URL", type: "string", jsonPath: ".status.address.url" },
    age,
    ...ready,
    {
      name: "Class",
      type: "string",
      priority: 1,
      jsonPath: ".metadata.annotations.eventing\\.knative\\.dev/broker\\.class",
    },
  ]),
  definition(Trigger, eventing, [
    { name: "Broker", type: "string", jsonPath: ".spec.broker" },
    { name: "Subscriber_URI", type: "string", jsonPath: ".status.subscriberUri" },
    age,
    ...ready,
  ]),
  definition(ApiServerSource, sources, [sink, age, ...ready]),
  definition(PingSource, sources, [
    sink,
    { name: "Schedule", type: "string", jsonPath: ".spec.schedule" },
    age,
    ...ready,
  ]),
];
