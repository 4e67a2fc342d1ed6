import { expect, test } from "vitest";
import { customResourceDefinition } from "../../../build/manifests/crd/definition.ts";
import { definitionStatus, resourcesOf } from "../../../local/apiserver/custom/definition.ts";
import { toTable } from "../../../local/apiserver/table/make-table.ts";
import { convergedReport, evictedReport } from "./report.ts";
import { customKinds } from "./schema.ts";

const now = Date.parse("2026-01-01T01:00:00Z");
const counters = { migrated: 1, migratable: 0, pending: 0, in_progress: 0, unhandleable: 1, unhandleable_agent: false };
const plan = { counters };

test.each([
  ["at rest", convergedReport("Success", ""), evictedReport("NotEvicting"), ["NotEvicting", "", "60m", "Success", ""]],
  [
    "while it is evicted",
    convergedReport("InProgress", ""),
    evictedReport("Evicting", plan),
    ["Evicting", "", "60m", "InProgress", JSON.stringify(counters)],
  ],
  [
    "where only a person gets it further",
    convergedReport("InProgress", ""),
    evictedReport("Evicting", plan, true),
    ["Evicting", "Stuck", "60m", "InProgress", JSON.stringify(counters)],
  ],
])("kubectl get shows a compute node %s", (_, converged, evicted, expected) => {
  const definition = customResourceDefinition(customKinds.find(({ kind }) => kind.kind === "NovaComputeNode") as never);
  const [resource] = resourcesOf({ ...definition, status: definitionStatus(definition as never, "") } as never);
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const enabled = { type: "Enabled", status: "False", reason: "Disabled", message: "" };
  const conditions = [converged, enabled, evicted].map((one) => ({ ...one, lastTransitionTime }));
  const object = {
    metadata: { name: "node-a", creationTimestamp: lastTransitionTime },
    spec: { state: "DisabledAndCleared" },
    status: { conditions },
  };
  const table = toTable(resource as never, object, now) as unknown as {
    columnDefinitions: { name: string; priority: number }[];
    rows: { cells: unknown[] }[];
  };
  const shown = table.columnDefinitions.flatMap(({ name, priority }, index) =>
    priority === 0 && name !== "Age" ? [[name, table.rows[0]?.cells[index] ?? ""]] : [],
  );
  const [status, stuck, since, reason, progress] = expected;
  expect(Object.fromEntries(shown)).toEqual({
    ...{ Name: "node-a", State: "DisabledAndCleared", Enabled: "False", Evicted: status, Stuck: stuck },
    ...{ Since: since, Converged: reason, Progress: progress },
  });
});
