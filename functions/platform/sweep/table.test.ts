import { expect, test } from "vitest";
import { readTable as read } from "./table.ts";

const readTable = (text: string) => read(text, "holdfast");

const release = `
# Claims that wait for their pods.
- rule: pvc-protection/release
  apiVersion: v1
  kind: PersistentVolumeClaim
  resource: persistentvolumeclaims
  when: { deletingWith: holdfast.dev/pvc-protection }
  sink: http://broker-ingress.knative-eventing.svc.cluster.local/holdfast/storage
`;

test("a row is read with its defaults", () => {
  expect(readTable(release)).toEqual({
    rows: [
      {
        rule: "pvc-protection/release",
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        resource: "persistentvolumeclaims",
        namespaced: true,
        when: { deletingWith: "holdfast.dev/pvc-protection" },
        every: 21_600_000,
        excludedNamespaces: [],
        sink: "http://broker-ingress.knative-eventing.svc.cluster.local/holdfast/storage",
      },
    ],
    faults: [],
  });
});

test.each([
  ["a misspelt field", release.replace("resource:", "ressource:"), [6, 3], /ressource/],
  ["a missing field", release.replace(/ {2}resource.*\n/, ""), [3], /resource/],
  ["a duration without a unit", `${release}  every: 60\n`, [9], /every/],
  ["a duration of zero", `${release}  every: 0m\n`, [9], /every: expected a duration such as/],
  ["a duration of more than a hundred years", `${release}  every: 36501d\n`, [9], /every: expected a duration such as/],
  ["a sink that is no URL", release.replace(/sink: .*/, "sink: storage"), [8], /sink/],
  ["a condition that is unknown", release.replace("deletingWith", "deletedWith"), [7], /when/],
])("%s refuses its row, with the line, and the other rows still count", (_, broken, lines, message) => {
  const good = release.replace("pvc-protection/release", "other/rule");
  const { rows, faults } = readTable(broken + good);
  expect(rows.map(({ rule }) => rule)).toEqual(["other/rule"]);
  expect(faults.map(({ line }) => line).sort()).toEqual([...lines].sort());
  expect(faults.map(({ message }) => message).join(" ")).toMatch(message);
});

test.each([
  ["no YAML", "- rule: [", /not valid YAML/],
  ["a mapping", "rule: x", /must be a list/],
  ["empty", "", /must be a list/],
])("a table that is %s is refused whole", (_, text, message) => {
  const { rows, faults } = readTable(text);
  expect(rows).toEqual([]);
  expect(faults[0]?.message).toMatch(message);
});

test("{namespace} in a sink is the namespace that the sweep runs in", () => {
  const moved = release.replace("/holdfast/storage", "/{namespace}/storage");
  expect(read(moved, "storage-safety").rows[0]?.sink).toMatch(/\.local\/storage-safety\/storage$/);
});

test("a row that is no mapping is refused with its line", () =>
  expect(readTable(`${release}- nonsense\n`)).toMatchObject({ rows: [{}], faults: [{ line: 9 }] }));
