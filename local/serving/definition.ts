import { openDefinition } from "../cluster/open-definition.ts";
import { KnativeService } from "./kind.ts";

/**
 * The CustomResourceDefinition of Knative Services, as far as kubectl and the controller here need it. What a Service
 * may say is judged by the controller, which answers in the Service's status; Knative's own schema would let more
 * through.
 */
export const serviceDefinition = openDefinition(KnativeService, {
  shortNames: ["kservice", "ksvc"],
  categories: ["all", "knative", "serving"],
  columns: [
    { name: "URL", type: "string", jsonPath: ".status.url" },
    { name: "LatestCreated", type: "string", jsonPath: ".status.latestCreatedRevisionName" },
    { name: "LatestReady", type: "string", jsonPath: ".status.latestReadyRevisionName" },
    { name: "Ready", type: "string", jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    { name: "Reason", type: "string", jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
  ],
});
