import { expect, test } from "vitest";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { attentionOf } from "./attention.ts";

/** A compute node that leaves, with so many servers that cannot be moved. */
const leaving = (unhandleable: number, reason: string, message: string) =>
  ({
    apiVersion: "compute.yaook.cloud/v1",
    kind: "NovaComputeNode",
    metadata: { name: "node-1", namespace: "yaook", uid: "u" },
    status: {
      conditions: [
        { type: "Converged", status: "False", reason, message },
        { type: "Evicted", status: "Evicting", message: JSON.stringify({ pending: 1, unhandleable }) },
      ],
    },
  }) as unknown as KubernetesObject;

test.each([
  ["needs a person", leaving(1, "InProgress", "Server s is in ERROR.")],
  ["needs a person", leaving(0, "Dependency", "Run `kubectl annotate ... holdfast.dev/approve-eviction=true`")],
  ["waits", leaving(0, "Dependency", "The label of the Node is True.")],
  [undefined, leaving(0, "InProgress", "Servers are being moved.")],
])("an eviction: %s", (state, object) => expect(attentionOf(object, 0)?.state).toBe(state));
