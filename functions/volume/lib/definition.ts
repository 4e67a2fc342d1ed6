import * as z from "zod";
import type { CustomKind } from "../../../shared/kubernetes/custom-kind.ts";
import { Volume } from "./kinds.ts";
import { volumeSpec, volumeStatus } from "./schema.ts";

/** Volumes as the API server is to know them: MetalK8s' version and names, so that manifests work unchanged. */
export const volumeDefinition: CustomKind = {
  kind: Volume,
  doc:
    "Storage on one node, which Salt prepares there, and the PersistentVolume that it becomes. Give the right to " +
    "write Volumes only to administrators of nodes: the node puts a file system on the device that a Volume names.",
  versions: [
    {
      name: "v1alpha1",
      schema: z.object({ spec: volumeSpec, status: volumeStatus.optional() }),
      subresources: { status: {} },
      columns: [
        { name: "Node", type: "string", jsonPath: ".spec.nodeName", description: "The node that has the storage" },
        {
          name: "StorageClass",
          type: "string",
          jsonPath: ".spec.storageClassName",
          description: "The class of the PersistentVolume",
        },
        { name: "Status", type: "string", jsonPath: ".status.phase", description: "The state in one word" },
        {
          name: "Reason",
          type: "string",
          jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
          description: "Why it is in that state",
        },
        { name: "Device", type: "string", jsonPath: ".status.deviceName", description: "The device on the node" },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        {
          name: "Message",
          type: "string",
          jsonPath: '.status.conditions[?(@.type=="Ready")].message',
          description: "What is to be known or done",
          priority: 1,
        },
      ],
    },
  ],
};
