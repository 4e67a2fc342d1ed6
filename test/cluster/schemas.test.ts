import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtin } from "../../local/apiserver/kinds/builtin-kinds.ts";
import { resource } from "../../local/apiserver/resource.ts";
import type { Schema } from "../../local/apiserver/schema/schema.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { groupOf, type Kind } from "../../shared/kubernetes/kind.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import { ownCluster } from "./own-cluster.ts";

const cluster = ownCluster;
const file = join(import.meta.dirname, "../../local/apiserver/schema/kubernetes.json");

/** What the laptop edition serves, and what its subresources take. */
const kinds: readonly Kind[] = [
  ...builtin,
  resource("v1", "Binding", "bindings"),
  resource("policy/v1", "Eviction", "evictions"),
  resource("authentication.k8s.io/v1", "TokenRequest", "tokenrequests"),
  resource("autoscaling/v1", "Scale", "scales"),
];

const withoutProse = (_: string, value: unknown) =>
  typeof value === "object" && value !== null && "description" in value && typeof value.description === "string"
    ? { ...value, description: undefined }
    : value;

const namesKind = (schema: Schema, { apiVersion, kind, ...rest }: Kind) =>
  (schema["x-kubernetes-group-version-kind"] as { group: string; version: string; kind: string }[] | undefined)?.some(
    (one) =>
      one.kind === kind &&
      one.version === apiVersion.split("/").at(-1) &&
      one.group === groupOf({ apiVersion, kind, ...rest }),
  );

describe.skipIf(!cluster)("the types of the Kubernetes API", () => {
  test("the laptop edition has those that a real server publishes", async () => {
    if (!cluster) return;
    const client = createClient(kubeconfigTransport(cluster.kubeconfig));
    const published = new Map<string, Schema>();
    for (const apiVersion of new Set(kinds.map((kind) => kind.apiVersion))) {
      const path = apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`;
      const { components } = await client.request<{ components: { schemas: Record<string, Schema> } }>(
        "GET",
        `/openapi/v3/${path}`,
      );
      for (const [name, schema] of Object.entries(components.schemas)) published.set(name, schema);
    }
    const lines = new Map<string, string>();
    const add = (name: string, isServed: boolean) => {
      if (lines.has(name)) return;
      const { "x-kubernetes-group-version-kind": kind, ...schema } = published.get(name) as Schema;
      const text = JSON.stringify(
        isServed ? { "x-kubernetes-group-version-kind": kind, ...schema } : schema,
        withoutProse,
      );
      lines.set(name, text);
      for (const [, other = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) add(other, false);
    };
    for (const kind of kinds) for (const [name, schema] of published) if (namesKind(schema, kind)) add(name, true);
    const sorted = [...lines].sort(([one], [other]) => (one < other ? -1 : 1));
    const text = `{\n${sorted.map(([name, schema]) => `${JSON.stringify(name)}: ${schema}`).join(",\n")}\n}\n`;
    await expect(text).toMatchFileSnapshot(file);
  });
});
