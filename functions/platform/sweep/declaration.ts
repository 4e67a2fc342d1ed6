import * as z from "zod";
import type { FunctionDeclaration } from "../../../shared/declaration.ts";
import {
  ConfigMap,
  Event,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  StatefulSet,
} from "../../../shared/kubernetes/kind.ts";
import { namespaceName, objectName } from "../../../shared/names.ts";
import { shippedBuffer } from "../lib/kept-event.ts";
import { statusKey } from "../lib/sweep-status.ts";
import { InMemoryChannel, Subscription } from "./channels.ts";
import { here } from "./table.ts";
import { ApiServerSource, Broker } from "./ways.ts";

/**
 * The kinds that the shipped table sweeps. An admin who adds another to the table grants its `list` to the function's
 * role.
 */
const swept = [PersistentVolumeClaim, PersistentVolume, StatefulSet, Namespace] as const;

/**
 * The ConfigMap of the table. Others of the namespace say where external systems are: the sweep has no need to write
 * those.
 */
const shippedTable = "holdfast-sweep";

const settings = z.object({
  namespace: namespaceName
    .default("")
    .describe("The namespace of the ConfigMap that holds the table; empty: the one that the function runs in."),
  table: objectName
    .default(shippedTable)
    .describe(
      "The name of the ConfigMap that holds the table, in its key table.yaml. The function's Role names it in " +
        "`resourceNames`: if you change this setting, change the Role, too.",
    ),
  deadLetters: objectName
    .default(shippedBuffer)
    .describe(
      "The ConfigMap in which `dead-letter` keeps events: its `CONFIG_MAP`. The sweep's Role names it in " +
        "`resourceNames`: if you change this setting, change the Role, too.",
    ),
  rate: z.coerce.number().positive().max(1000).default(100).describe("Events sent per second, at most."),
  tick: z.coerce
    .number()
    .int()
    .min(1)
    .max(280)
    .default(280)
    .describe("Seconds that one tick may take, with its waits. Must be less than the time between two ticks."),
  staleChannels: z
    .enum(["report", "mend"])
    .default("report")
    .describe(
      "What to do with a broker's channel whose subscribers differ from the Triggers. `report`: " +
        "a Warning on the table says what to do. `mend`: the sweep deletes the channel, and Knative rebuilds it. " +
        "Needs the option mend-channels.",
    ),
  tokens: z
    .string()
    .default("")
    .describe(
      "The folder with a token for each broker that asks for one, at the path of the broker's address. Empty: " +
        "none is sent.",
    ),
  sinkHosts: z
    .string()
    .default(
      "broker-ingress.knative-eventing.svc.cluster.local,kafka-broker-ingress.knative-eventing.svc.cluster.local," +
        `platform-source.${here}.svc`,
    )
    .transform((text) => text.split(",").map((host) => host.trim()))
    .describe(
      "The hosts that rows of tables may send events to, separated by commas: those of Knative's brokers, and of the " +
        "source of the overlay no-knative. {namespace} is the namespace of the table. Other rows are refused.",
    ),
  tokenHosts: z
    .string()
    .default(
      "broker-ingress.knative-eventing.svc.cluster.local,kafka-broker-ingress.knative-eventing.svc.cluster.local",
    )
    .transform((text) => text.split(",").map((host) => host.trim()))
    .describe("The hosts that the tokens in `TOKENS` are sent to, separated by commas; those of Knative's brokers."),
});
export type Settings = z.output<typeof settings>;

export const sweepFunction = {
  name: "platform/sweep",
  doc: "Sends an event for every object that needs a look, so that a lost event only delays a rule.",
  settings,
  permissions: [
    ...swept.map((resource) => ({
      resource,
      verbs: ["list"] as const,
      why: `to find each ${resource.kind} that needs a look`,
    })),
    {
      ownNamespace: true,
      resource: ConfigMap,
      verbs: ["list"],
      why: "to find the tables that optional systems add",
    },
    {
      ownNamespace: true,
      resource: ConfigMap,
      names: [shippedTable],
      verbs: ["get", "patch"],
      why: "to read the table of what is swept, and to note on it how far the last tick came",
      writes: { annotations: [statusKey] },
    },
    {
      ownNamespace: true,
      resource: ConfigMap,
      names: [shippedBuffer],
      verbs: ["get"],
      why: "to read the dead-lettered events that are kept, and send them again",
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the table what could not be swept, and to delete that Event when it can",
    },
    {
      ownNamespace: true,
      resource: InMemoryChannel,
      verbs: ["list"],
      why: "to find channels that deliver to subscribers that are gone",
    },
    {
      ownNamespace: true,
      resource: Subscription,
      verbs: ["list"],
      why: "to see which subscribers a channel should have",
    },
    {
      ownNamespace: true,
      resource: ApiServerSource,
      verbs: ["list"],
      why: "to see when a source was not ready, because changes of that time are lost",
    },
    {
      ownNamespace: true,
      resource: Broker,
      verbs: ["list"],
      why: "to see when a broker was not ready, because it may have taken no events",
    },
    {
      ownNamespace: true,
      resource: InMemoryChannel,
      verbs: ["delete"],
      why: "to delete a channel with wrong subscribers, so that Knative creates it again",
      overlay: "mend-channels",
      bounds: [
        {
          on: ["delete"],
          says: "deletes channels of Brokers",
          cel: 'oldObject.metadata.?labels["eventing.knative.dev/broker"].hasValue()',
        },
      ],
    },
  ],
  // One tick at a time; a second one, should it come, waits.
  concurrency: 1,
  // No event comes between two ticks, so each tick also pays for the time that Knative waits before it stops the pod.
  // Knative accepts no shorter time than this.
  idle: 6,
} satisfies FunctionDeclaration<typeof settings>;
