import { expect, test } from "vitest";
import { ConfigMap } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Write } from "../kubernetes/write.ts";
import { withProgress } from "./with-progress.ts";

const metadata = { namespace: "default", name: "data", uid: "u1", resourceVersion: "7" };
const about: KubernetesObject = { apiVersion: "v1", kind: "ConfigMap", metadata };
const note = { annotations: { "holdfast.dev/a": "1" } };
const status: Write = {
  verb: "patch",
  kind: ConfigMap,
  namespace: "default",
  name: "data",
  type: "merge",
  patch: { metadata: { uid: "u1", resourceVersion: "7" }, status: { phase: "Pending" } },
  options: { subresource: "status" },
};
const isNote = (write: Write) => JSON.stringify(write).includes("holdfast.dev/a");

test("a note that no write can take comes after them, and before them where a command follows", () => {
  expect(withProgress([status], ConfigMap, about, note).map(isNote)).toEqual([false, true]);
  expect(withProgress([status], ConfigMap, about, note, "at the beginning").map(isNote)).toEqual([true, false]);
});

test("a patch of the object itself takes it, wherever it stands", () => {
  const own: Write = { ...status, patch: { metadata: { uid: "u1" } }, options: {} };
  for (const place of ["at the end", "at the beginning"] as const)
    expect(withProgress([own, status], ConfigMap, about, note, place).map(isNote)).toEqual([true, false]);
});
