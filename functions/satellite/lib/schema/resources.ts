import { z } from "zod";
import { condition, conditionsOf } from "../../../../shared/kubernetes/status-conditions.ts";
import { nodeAffinity, nodeSelector, toleration } from "./placement.ts";
import { evacuationStrategy, internalTLS, patch, property, satelliteConfig } from "./satellite-spec.ts";

const conditions = conditionsOf(condition);

const caReference = z.object({
  name: z.string(),
  kind: z.enum(["ConfigMap", "Secret"]).optional(),
  key: z.string().optional(),
  optional: z.boolean().optional(),
});
const externalController = z.object({
  url: z.string().min(3).describe("Address of a LINSTOR outside of this LinstorCluster."),
});
/** What others act upon is kept as it is. */
const kept = z.looseObject({}).optional();

export const linstorCluster = z.object({
  spec: z
    .object({
      repository: z.string().optional(),
      externalController: externalController.optional(),
      nodeSelector: nodeSelector.optional(),
      nodeAffinity: nodeAffinity.optional(),
      tolerations: z.array(toleration).meta({ "x-kubernetes-list-type": "atomic" }).optional(),
      properties: z
        .array(property)
        .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
        .optional(),
      linstorPassphraseSecret: z.string().optional(),
      maxConcurrentEvacuations: z
        .int()
        .min(0)
        .optional()
        .describe("How many satellites are evacuated at a time; 0 is as many as there are."),
      internalTLS: internalTLS.optional(),
      apiTLS: z
        .looseObject({
          apiSecretName: z.string().optional(),
          clientSecretName: z.string().optional(),
          caReference: caReference.optional(),
        })
        .optional(),
      patches: z.array(patch).optional(),
      controller: kept,
      csiController: kept,
      csiNode: kept,
      affinityController: kept,
      highAvailabilityController: kept,
      nfsServer: kept,
    })
    .optional(),
  status: z
    .looseObject({ conditions, availableSatellites: z.int().optional(), runningSatellites: z.int().optional() })
    .optional(),
});

export const linstorSatelliteConfiguration = z.object({
  spec: satelliteConfig
    .extend({
      nodeSelector: nodeSelector.optional(),
      nodeAffinity: nodeAffinity.optional(),
      podTemplate: z.looseObject({}).optional().describe("A patch of the satellite's pods."),
    })
    .optional(),
  status: z
    .object({
      conditions,
      appliedTo: z.array(z.string()).optional().describe("The Nodes to whose satellites it applies."),
      matched: z.int().min(0).optional(),
    })
    .optional(),
});
export type LinstorSatelliteConfigurationSpec = NonNullable<z.output<typeof linstorSatelliteConfiguration>["spec"]>;

export const linstorSatellite = z.object({
  spec: satelliteConfig
    .extend({
      repository: z.string().optional(),
      clusterRef: z.object({
        name: z.string().optional(),
        clientSecretName: z.string().optional(),
        caReference: caReference.optional(),
        externalController: externalController.optional(),
      }),
      evacuationStrategy: evacuationStrategy.optional(),
    })
    .optional(),
  status: z
    .object({
      conditions,
      freeCapacityBytes: z.int().optional(),
      totalCapacityBytes: z.int().optional(),
      numberOfVolumes: z.int().min(0).optional(),
      numberOfSnapshots: z.int().min(0).optional(),
      storageProviders: z.array(z.string()).optional(),
      deviceLayers: z.array(z.string()).optional(),
    })
    .optional(),
});
