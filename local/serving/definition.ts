import { KnativeService } from "./kind.ts";

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/**
 * The CustomResourceDefinition of Knative Services, as far as kubectl and the controller here need it. What a Service
 * may say is judged by the controller, which answers in the Service's status; Knative's own schema would let more
 * through.
 */
export const serviceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${KnativeService.plural}.serving.knative.dev` },
  spec: {
    group: "serving.knative.dev",
    scope: "Namespaced",
    names: {
      kind: KnativeService.kind,
      plural: KnativeService.plural,
      singular: "service",
      shortNames: ["kservice", "ksvc"],
      categories: ["all", "knative", "serving"],
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
        additionalPrinterColumns: [
          { name: "URL", type: "string", jsonPath: ".status.url" },
          { name: "LatestCreated", type: "string", jsonPath: ".status.latestCreatedRevisionName" },
          { name: "LatestReady", type: "string", jsonPath: ".status.latestReadyRevisionName" },
          { name: "Ready", type: "string", jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
          { name: "Reason", type: "string", jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
        ],
      },
    ],
  },
} as const;
