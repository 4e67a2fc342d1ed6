import { expect, test } from "vitest";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { discoverKind } from "./discover-kind.ts";

const asked: string[] = [];
const client = {
  request: async (_: string, path: string) => {
    asked.push(path);
    const status = { name: "volumes/status", kind: "Volume", namespaced: false };
    return { resources: [status, { name: "volumes", kind: "Volume", namespaced: false }] };
  },
} as unknown as Client;

test("a kind is found as the API server serves it, not its subresources", async () => {
  const apiVersion = "storage.metalk8s.scality.com/v1alpha1";
  expect(await discoverKind(client, apiVersion, "Volume")).toEqual({
    apiVersion,
    kind: "Volume",
    plural: "volumes",
    namespaced: false,
  });
  expect(asked.at(-1)).toBe(`/apis/${apiVersion}`);
  expect(await discoverKind(client, "v1", "Lamp")).toBeUndefined();
  expect(asked.at(-1)).toBe("/api/v1");
});

test.each(["../../secrets", "v1/../..", "", "V1", "a/b/v1"])(
  "what is no version of an API is not asked for: %s",
  async (version) => {
    const before = asked.length;
    expect(await discoverKind(client, version, "Volume")).toBeUndefined();
    expect(asked).toHaveLength(before);
  },
);
