import { expect, test } from "vitest";
import { parse } from "yaml";
import { readTable } from "../../functions/platform/sweep/table.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { objectsIn } from "./manifests.ts";
import { sweptEachMinute, sweptOften, withTurns } from "./swept-often.ts";

const shipped = objectsIn();
const tableOf = (objects: readonly KubernetesObject[], name = "holdfast-sweep-undelete") => {
  const map = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === name);
  return (map as unknown as { data: { "table.yaml": string } }).data["table.yaml"];
};

test("where the sweep has to do everything, every object is resynced whenever it comes", () => {
  const { rows, faults } = readTable(tableOf(shipped.map(sweptOften)), "holdfast");
  expect(faults).toEqual([]);
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.map(({ rule }) => rule)).toEqual(readTable(tableOf(shipped), "holdfast").rows.map(({ rule }) => rule));
  expect(new Set(rows.map(({ every }) => every))).toEqual(new Set([2_000]));
});

test("it comes every other second, and is done by then; nothing else is changed", () => {
  const changed = shipped
    .filter((object) => sweptOften(object) !== object)
    .map(({ kind, metadata }) => [kind, metadata.name]);
  expect(changed).toEqual(
    expect.arrayContaining([
      ["ConfigMap", "holdfast-sweep-undelete"],
      ["PingSource", "sweep"],
      ["Service", "platform-sweep"],
    ]),
  );
  expect(changed.filter(([, name]) => !name?.startsWith("holdfast-sweep"))).toHaveLength(2);
});

test("a row that says how often its objects are resynced is overruled, and the rest of it stays", () => {
  const table = "# For people.\n- rule: a/b\n  every: 7d\n  labelSelector: app=db\n";
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", uid: "u", resourceVersion: "1" } };
  const turned = tableOf([
    withTurns(
      {
        ...map,
        metadata: { ...map.metadata, name: "holdfast-sweep-undelete" },
        data: { "table.yaml": table },
      } as KubernetesObject,
      "1s",
    ),
  ]);
  expect(parse(turned)).toEqual([{ rule: "a/b", every: "1s", labelSelector: "app=db" }]);
});

test("beside a Salt that reports nothing the sweep comes every minute, and nothing else is changed", () => {
  const changed = shipped.map(sweptEachMinute).filter((object, index) => object !== shipped[index]);
  expect(changed).toMatchObject([{ kind: "PingSource", spec: { schedule: "* * * * *" } }]);
});
