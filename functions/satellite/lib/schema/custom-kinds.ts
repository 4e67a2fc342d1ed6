import { ageColumn as age, conditionColumn, withStatus } from "../../../../shared/kubernetes/status-conditions.ts";
import { LinstorCluster, LinstorSatellite, LinstorSatelliteConfiguration } from "../kinds.ts";
import { linstorCluster, linstorSatellite, linstorSatelliteConfiguration } from "./resources.ts";

const right = (objects: string) =>
  `Give the right to write ${objects} only to administrators of nodes: satellites are privileged pods.`;

/** The kinds of Piraeus that satellites live by: what their CustomResourceDefinitions are generated from. */
export const customKinds = [
  {
    kind: LinstorCluster,
    doc: `Where LINSTOR satellites run, and which LINSTOR they belong to. ${right("LinstorClusters")}`,
    versions: [
      {
        name: "v1",
        schema: linstorCluster,
        ...withStatus,
        columns: [
          conditionColumn("Available", "Available", "status"),
          conditionColumn("Configured", "Configured", "status"),
          age,
        ],
      },
    ],
  },
  {
    kind: LinstorSatelliteConfiguration,
    doc:
      "The configuration of the satellites of some Nodes, and what becomes of their data when they are deleted. " +
      right("LinstorSatelliteConfigurations"),
    versions: [
      {
        name: "v1",
        schema: linstorSatelliteConfiguration,
        ...withStatus,
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
    doc: `A LINSTOR satellite on the Node of the same name. ${right("LinstorSatellites")}`,
    versions: [
      {
        name: "v1",
        schema: linstorSatellite,
        ...withStatus,
        columns: [
          conditionColumn("Connected", "Available", "status"),
          { name: "Policy", type: "string" as const, jsonPath: ".spec.deletionPolicy" },
          conditionColumn("Evacuated", "SatelliteEvacuated", "reason"),
          conditionColumn("Since", "SatelliteEvacuated", "lastTransitionTime"),
          conditionColumn("Waiting For", "SatelliteEvacuated", "message", 1),
          age,
        ],
      },
    ],
  },
];
