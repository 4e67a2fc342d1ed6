import * as z from "zod";
import type { FunctionDeclaration } from "../../../shared/declaration.ts";
import {
  ConfigMap,
  Event,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
} from "../../../shared/kubernetes/kind.ts";
import { namespaceName, objectName } from "../../../shared/names.ts";
import { shippedBuffer } from "../lib/kept-event.ts";
import { KnativeService, ServiceAccount } from "./installed-function.ts";

/** The kinds of the default install's Triggers, on whose objects a dead-lettered event is shown; systems add theirs. */
export const shownOn = [PersistentVolumeClaim, Pod, StatefulSet, Namespace, PersistentVolume, StorageClass] as const;

const settings = z.object({
  namespace: namespaceName
    .default("")
    .describe("The namespace of the ConfigMap that keeps the events; empty: the one that the function runs in."),
  configMap: objectName
    .default(shippedBuffer)
    .describe(
      "The name of the ConfigMap that keeps the events. The function's Role and its ValidatingAdmissionPolicy name " +
        "it: if you change this setting, change both, too, and `DEAD_LETTERS` of the sweep.",
    ),
});
export type Settings = z.output<typeof settings>;

export const deadLetter = {
  name: "platform/dead-letter",
  doc: "Shows, on the object, an event that a function did not take after all retries, and keeps the event for replay.",
  settings,
  permissions: [
    ...shownOn.map((resource) => ({
      resource,
      verbs: ["get"] as const,
      why: `to find the ${resource.kind} that a dead-lettered event is about`,
    })),
    {
      ownNamespace: true,
      resource: ConfigMap,
      verbs: ["create"],
      why: "to create the ConfigMap that keeps dead-lettered events, when it is missing",
      // Without labels: the sweep reads a table in any ConfigMap with its label.
      writes: {},
      bounds: [
        {
          on: ["create"],
          says: `creates the ConfigMap ${shippedBuffer}`,
          cel: `object.metadata.name == ${JSON.stringify(shippedBuffer)}`,
        },
      ],
    },
    // Others of the namespace say where external systems are: they are not this function's to write.
    {
      ownNamespace: true,
      resource: ConfigMap,
      names: [shippedBuffer],
      verbs: ["get", "patch"],
      why: "to add dead-lettered events to those that are kept for replay",
      writes: { fields: ["data"] },
    },
    {
      ownNamespace: true,
      resource: KnativeService,
      verbs: ["get"],
      why: "to see whether the function that has refused the event is ready, and what it lacks",
    },
    {
      ownNamespace: true,
      resource: ServiceAccount,
      verbs: ["get"],
      why: "to see whether the function that the event was for is installed",
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the object that an event about it was not handled, in place of an older Event",
    },
  ],
} satisfies FunctionDeclaration<typeof settings>;
