import { expect, test } from "vitest";
import * as z from "zod";
import { ConfigMap, Event, type Kind, Node, Pod, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { Declared } from "./declared.ts";
import { permissionTables } from "./reference.ts";

const declare = (name: string, permissions: Declared["permissions"]): Declared => ({
  name,
  doc: "A function for tests.",
  settings: z.object({ place: z.string().default("elsewhere").describe("Where.") }),
  permissions,
  triggers: [],
});

const rowsOf = (...permissions: Declared["permissions"]) =>
  (permissionTables([declare("a/one", permissions)]).functions ?? "").split("\n").filter((line) => /^\|/.test(line));

test("each right has a row with what limits it, and why it is needed", () => {
  const bounds = [{ on: ["delete"], says: "deletes pods of agents", cel: "true" }] as const;
  const created = [{ on: ["create"], says: "creates the ConfigMap kept", cel: "true" }] as const;
  expect(
    rowsOf(
      { resource: Node, verbs: ["get"], why: "to see whether it is Ready" },
      { resource: StatefulSet, verbs: ["get", "patch"], writes: { labels: ["a/b"] }, why: "to note its policy" },
      { resource: StatefulSet, subresource: "status", verbs: ["patch"], why: "to show its policy" },
      { resource: Pod, verbs: ["delete"], namespaceSetting: "place", bounds, why: "to let agents go" },
      { resource: ConfigMap, verbs: ["get"], names: ["table"], ownNamespace: true, why: "to read the table" },
      { resource: Pod, verbs: ["list"], overlay: "more", why: "to see which claims are used" },
      { resource: Event, verbs: ["create", "get", "delete"], why: "to say what holds it" },
      { resource: ConfigMap, verbs: ["create"], writes: { annotations: [] }, bounds: created, why: "to keep it" },
    ),
  ).toEqual([
    "| Right | Limited to | Why |",
    "| --- | --- | --- |",
    "| Node: get | any | to see whether it is Ready |",
    "| StatefulSet: get, patch | progress; labels `a/b` | to note its policy |",
    "| StatefulSet status: patch | any | to show its policy |",
    "| Pod: delete | the namespace of `PLACE`; deletes pods of agents | to let agents go |",
    "| ConfigMap: get | only `table`; its own namespace | to read the table |",
    "| Pod: list (with the option `more`) | any | to see which claims are used |",
    "| Event of `events.k8s.io`: create, get, delete | creates and deletes Events of its own and its system " +
      "| to say what holds it |",
    "| ConfigMap: create | creates the ConfigMap kept | to keep it |",
  ]);
});

test("kinds with the same right for the same reason share a row, others do not", () => {
  const agent = (kind: string): Kind => ({ apiVersion: "a.example/v1", kind, plural: "agents", namespaced: true });
  const why = "to see which agents leave";
  const rows = rowsOf(
    { resource: agent("One"), verbs: ["get"], why },
    { resource: agent("Two"), verbs: ["get"], why },
    { resource: agent("Three"), verbs: ["list"], why },
    { resource: agent("Four"), verbs: ["get"], why: "to read its host" },
  );
  expect(rows.slice(2)).toEqual([
    `| One, Two: get | any | ${why} |`,
    `| Three: list | any | ${why} |`,
    "| Four: get | any | to read its host |",
  ]);
});

test("each function has a heading, a link to its page and what limits it", () => {
  const text = permissionTables([
    declare("a/one", [
      { resource: Pod, verbs: ["patch"], writes: {}, ownNamespace: true, why: "to note what it waits for" },
      { resource: Node, verbs: ["get"], why: "to see whether it is Ready" },
    ]),
    declare("a/two", []),
  ]).functions;
  expect(text).toContain("### `a`\n");
  const link = "[What it guarantees](../functions/a/one/README.md). Limited by: ClusterRole, Role, policy.";
  expect(text).toContain(`#### a/one\n\n${link}\n\n|`);
  expect(text).toContain(
    "#### a/two\n\n[What it guarantees](../functions/a/two/README.md).\n\nIt has no rights of its own.\n",
  );
});
