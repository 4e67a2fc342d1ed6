import type { Declared } from "../declared.ts";
import { everyFunction, kustomizationFile } from "../kustomization.ts";
import { namespace } from "../metadata.ts";
import { watchedKinds } from "../sources.ts";
import { kafkaIngress, systemTablePatches } from "../sweep.ts";
import { toFile, toYaml } from "../yaml.ts";

const kafka = "knative/components/kafka";
const ordered = "knative/components/kafka-ordered";

/**
 * Every attribute that a source sets, as an EventTransform must name it to keep it, and the key by which Kafka puts
 * events of one object into one partition. An attribute that an event has not stays absent.
 */
const attributes = ["specversion", "id", "type", "source", "subject", "time", "datacontenttype"];
const extensions = ["apiversion", "kind", "namespace", "name"];
const byUid = `{
${[...attributes, ...extensions].map((name) => `  "${name}": ${name},`).join("\n")}
  "partitionkey": data.metadata.uid,
  "data": data
}
`;

/** Two components: brokers that keep their events in Kafka, and on top of it events of one object in their order. */
export function addKafka(files: Map<string, string>, all: readonly Declared[], byDefault: readonly Declared[]): void {
  const brokerClass = "/metadata/annotations/eventing.knative.dev~1broker.class";
  files.set(
    `${kafka}/kustomization.yaml`,
    kustomizationFile(
      "Component",
      {
        patches: [
          {
            target: { group: "eventing.knative.dev", kind: "Broker" },
            patch: [
              { op: "replace", path: brokerClass, value: "Kafka" },
              // A broker of Kafka answers when Kafka has the event.
              { op: "remove", path: "/metadata/annotations/messaging.knative.dev~1async-handler" },
              {
                op: "add",
                path: "/spec",
                value: {
                  config: {
                    apiVersion: "v1",
                    kind: "ConfigMap",
                    name: "kafka-broker-config",
                    namespace: "knative-eventing",
                  },
                },
              },
            ],
          },
          ...systemTablePatches(all, kafkaIngress),
        ],
      },
      "The brokers keep their events in Kafka: what a broker has taken is not lost. For new installations, " +
        "because a broker's class cannot be changed. Needs Knative's broker for Apache Kafka and its ConfigMap " +
        "kafka-broker-config, which names the Kafka servers, the partitions and the replication factor of each " +
        "topic.",
    ),
  );

  const families = [...watchedKinds(byDefault).keys()];
  const transforms = families.map((family) => ({
    apiVersion: "eventing.knative.dev/v1alpha1",
    kind: "EventTransform",
    metadata: {
      name: transformOf(family),
      namespace,
      labels: { "app.kubernetes.io/part-of": "holdfast", "app.kubernetes.io/component": "transform" },
    },
    spec: {
      jsonata: { expression: byUid },
      sink: { ref: { apiVersion: "eventing.knative.dev/v1", kind: "Broker", name: family } },
    },
  }));
  files.set(
    `${ordered}/transforms.yaml`,
    toFile(
      everyFunction,
      transforms.map((transform) => toYaml(transform)),
    ),
  );
  files.set(
    `${ordered}/kustomization.yaml`,
    kustomizationFile(
      "Component",
      {
        resources: ["transforms.yaml"],
        patches: [
          ...families.map((family) => ({
            target: { kind: "ApiServerSource", name: `${family}(-cluster)?` },
            patch: [
              {
                op: "replace",
                path: "/spec/sink/ref",
                value: {
                  apiVersion: "eventing.knative.dev/v1alpha1",
                  kind: "EventTransform",
                  name: transformOf(family),
                },
              } as const,
            ],
          })),
          {
            target: { kind: "Trigger" },
            patch: {
              apiVersion: "eventing.knative.dev/v1",
              kind: "Trigger",
              metadata: { name: "any", annotations: { "kafka.eventing.knative.dev/delivery.order": "ordered" } },
            },
          },
        ],
      },
      "With the component kafka: the events of one object reach a function one after the other, " +
        "in their order. Sources set no partition key, so an EventTransform before each broker makes one of the " +
        "object's uid. Think twice: nothing in Holdfast needs an order, " +
        "a function that fails holds up all objects of its partition, each transform is a pod that always runs, " +
        "and it refuses events of more than 100 kB, which the source then drops. Events of the sweep have no key.",
    ),
  );
}

const transformOf = (family: string) => `${family}-by-uid`;
