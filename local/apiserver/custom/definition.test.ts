import { describe, expect, test } from "vitest";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { definitionProblems, definitionStatus, resourcesOf } from "./definition.ts";

// Conditions and messages are those of kube-apiserver 1.36.3.
const now = "2026-01-01T00:00:00Z";
const names = {
  plural: "things",
  singular: "thing",
  kind: "Thing",
  listKind: "ThingList",
  shortNames: ["th"],
  categories: ["all"],
};
const version = (name: string, more: Fields = {}): Fields => ({
  name,
  served: true,
  storage: name === "v1",
  schema: { openAPIV3Schema: { type: "object" } },
  ...more,
});
const definition = (spec: Fields = {}, status: Fields = {}): Fields => ({
  metadata: { name: "things.example.org" },
  spec: { group: "example.org", scope: "Namespaced", names, versions: [version("v1")], ...spec },
  status,
});
const accepted = (given: Fields) => ({ ...given, status: definitionStatus(given, now) });

describe("a definition's status", () => {
  test("conditions that stay keep their time", () => {
    const first = accepted(definition());
    expect(definitionStatus(first, "2026-02-01T00:00:00Z")).toEqual(first.status);
  });
});

describe("resources", () => {
  test("one for each served version, with status where it has one", () => {
    const printerColumns = [{ name: "Size", type: "integer", jsonPath: ".spec.size" }];
    const versions = [
      version("v1", { subresources: { status: {}, scale: {} }, additionalPrinterColumns: printerColumns }),
      version("v2", { served: false }),
      version("v1beta1"),
    ];
    const common = {
      kind: "Thing",
      plural: "things",
      singular: "thing",
      namespaced: true,
      shortNames: ["th"],
      categories: ["all"],
    };
    const schema = { type: "object" };
    expect(resourcesOf(accepted(definition({ versions })))).toEqual([
      { ...common, apiVersion: "example.org/v1", subresources: ["status"], custom: { schema, printerColumns } },
      { ...common, apiVersion: "example.org/v1beta1", custom: { schema } },
    ]);
  });
  test("none before it is established", () => expect(resourcesOf(definition())).toEqual([]));
});

describe("problems", () => {
  const causes = (given: Fields) =>
    definitionProblems(given).map(
      ({ field, message }) => `${field}: ${message.replace(/Invalid value: \[.*\]/, "...")}`,
    );

  test("none", () => expect(causes(definition())).toEqual([]));
  test("of a name", () => {
    expect(causes(definition({ group: "other.org" }))).toEqual([
      'metadata.name: Invalid value: "things.example.org": must be spec.names.plural+"."+spec.group',
    ]);
  });
  test("of a version without a schema", () => {
    expect(causes(definition({ versions: [version("v1", { schema: {} })] }))).toEqual([
      "spec.versions[0].schema.openAPIV3Schema: Required value",
    ]);
  });
});
