import { ApiServerSource, Broker, PingSource, Trigger } from "../../eventing/kinds.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";

/** A column that `kubectl get` shows: `additionalPrinterColumns` of a CustomResourceDefinition. */
interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const ready: PrinterColumn[] = ["status", "reason"].map((field) => ({
  name: field === "status" ? "Ready" : "Reason",
  type: "string",
  jsonPath: `.status.conditions[?(@.type=="Ready")].${field}`,
}));

/**
 * A CustomResourceDefinition as far as kubectl and the controller here need it. What a field may say is judged by the
 * controller, which answers in the status; Knative's own schemas would let more through.
 */
function definition(kind: Kind, categories: string[], columns: PrinterColumn[]) {
  const [group, version] = kind.apiVersion.split("/");
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: kind.kind, plural: kind.plural, singular: kind.kind.toLowerCase(), categories },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
          additionalPrinterColumns: columns,
        },
      ],
    },
  };
}

const eventing = ["all", "knative", "eventing"];
const sources = ["all", "knative", "sources"];
const sink: PrinterColumn = { name: "Sink", type: "string", jsonPath: ".status.sinkUri" };

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
