import { expect, test } from "vitest";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { asApplied } from "./as-applied.ts";

test("the note of what was applied is the one that kubectl writes", () => {
  const object = {
    kind: "Broker",
    apiVersion: "eventing.knative.dev/v1",
    metadata: { name: "b", namespace: "a" },
    spec: { z: [{ y: 1, x: 2 }] },
  };
  const { metadata, ...rest } = asApplied(object as unknown as KubernetesObject);
  expect(rest).toEqual({ kind: object.kind, apiVersion: object.apiVersion, spec: object.spec });
  expect(metadata).toEqual({
    ...object.metadata,
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration":
        '{"apiVersion":"eventing.knative.dev/v1","kind":"Broker","metadata":{"annotations":{},' +
        '"name":"b","namespace":"a"},"spec":{"z":[{"x":2,"y":1}]}}\n',
    },
  });
});

test("annotations of the object's own stay, and are noted", () => {
  const metadata = { name: "b", annotations: { own: "1" } };
  const applied = asApplied({ apiVersion: "v1", kind: "Namespace", metadata } as unknown as KubernetesObject);
  expect(applied.metadata.annotations).toEqual({
    own: "1",
    "kubectl.kubernetes.io/last-applied-configuration":
      '{"apiVersion":"v1","kind":"Namespace","metadata":{"annotations":{"own":"1"},"name":"b"}}\n',
  });
});
