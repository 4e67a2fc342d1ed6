import { LinstorCluster, LinstorSatellite, LinstorSatelliteConfiguration } from "../kinds.ts";
import { linstorCluster, linstorSatellite, linstorSatelliteConfiguration } from "./resources.ts";

const condition = (name: string, type: string, field: string, priority?: number) => ({
  name,
  type: "string" as const,
  jsonPath: `.status.conditions[?(@.type=="${type}")].${field}`,
  ...(priority ? { priority } : {}),
});
const age = { name: "Age", type: "date" as const, jsonPath: ".metadata.creationTimestamp" };
const status = { subresources: { status: {} } };

/** The kinds of Piraeus that satellites live by: what their CustomResourceDefinitions are generated from. */
export const customKinds = [
  {
    kind: LinstorCluster,
    doc: "Where LINSTOR satellites run, and which LINSTOR they belong to.",
    versions: [
      {
        name: "v1",
        schema: linstorCluster,
        ...status,
        columns: [condition("Available", "Available", "status"), condition("Configured", "Configured", "status"), age],
      },
    ],
  },
  {
    kind: LinstorSatelliteConfiguration,
    doc: "What the LINSTOR satellites of some Nodes are like, and what becomes of their data when they are deleted.",
    versions: [
      {
        name: "v1",
        schema: linstorSatelliteConfiguration,
        ...status,
        columns: [
          { name: "Policy", type: "string" as const, jsonPath: ".spec.deletionPolicy" },
          { name: "Matched", type: "integer" as const, jsonPath: ".status.matched" },
          age,
        ],
      },
    ],
  },
  {
    kind: LinstorSatellite,
    doc: "A LINSTOR satellite on the Node of the same name.",
    versions: [
      {
        name: "v1",
        schema: linstorSatellite,
        ...status,
        columns: [
          condition("Connected", "Available", "status"),
          { name: "Policy", type: "string" as const, jsonPath: ".spec.deletionPolicy" },
          condition("Evacuated", "SatelliteEvacuated", "reason"),
          { ...condition("Since", "SatelliteEvacuated", "lastTransitionTime"), type: "date" as const },
          condition("Waiting For", "SatelliteEvacuated", "message", 1),
          age,
        ],
      },
    ],
  },
];
