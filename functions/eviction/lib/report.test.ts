import { expect, test } from "vitest";
import { customResourceDefinition } from "../../../build/manifests/crd/definition.ts";
import { definitionStatus, resourcesOf } from "../../../local/apiserver/custom/definition.ts";
import { toTable } from "../../../local/apiserver/table/make-table.ts";
import { conditions } from "./names.ts";
import { convergedReport, evictedReport, stuckReport } from "./report.ts";
import { customKinds } from "./schema.ts";
import { aCompute } from "./testing/seen.ts";

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

const { object } = aCompute();
const before = { conditions: [{ type: conditions.serversStuck, status: "True" }] };
const stuckServers = (count: number, message = "It is in ERROR.") =>
  Array.from({ length: count }, (_, index) => ({ server: `s${index}`, message }));
const linesOf = (...given: Parameters<typeof stuckReport>) => stuckReport(...given)[0]?.message.split("\n");

test("each server that needs a person has a line, the first twenty of many", () => {
  expect(stuckReport(stuckServers(2, "Its owner\nhas to unrescue it."), object)).toEqual([
    {
      ...{ type: "ServersStuck", status: "True", reason: "NeedPerson" },
      message: "s0: Its owner has to unrescue it.\ns1: Its owner has to unrescue it.",
    },
  ]);
  expect(linesOf(stuckServers(20), object)).toHaveLength(20);
  expect(linesOf(stuckServers(23), object)?.slice(19)).toEqual(["s19: It is in ERROR.", "Not shown here: 3 servers."]);
});

test("faults of any length fit into a condition", () =>
  expect(linesOf(stuckServers(50, "x".repeat(5000)), object)?.join("\n").length).toBeLessThan(32768));

test("where no server needs a person, only an object that said so before says it", () => {
  expect(stuckReport([], object)).toEqual([]);
  expect(stuckReport([], { ...object, status: before })).toMatchObject([{ status: "False" }]);
});
