import { describe, expect, test } from "vitest";
import { DaemonSet } from "../../functions/satellite/lib/kinds.ts";
import { mergeDaemonSet } from "../../functions/satellite/lib/workload/strategic-merge.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Bench } from "../harness/server.ts";

/**
 * A pod as satellites' are, and patches as people write them: what comes of them is what the API server makes of them.
 */
const base = {
  nodeSelector: { "holdfast.test/nowhere": "yes" },
  affinity: { podAntiAffinity: {} },
  tolerations: [{ operator: "Exists" }],
  imagePullSecrets: [{ name: "one" }],
  initContainers: [
    { name: "loader", image: "l:1" },
    { name: "guard", image: "g:1" },
  ],
  containers: [
    {
      name: "satellite",
      image: "s:1",
      args: ["start"],
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
      volumeMounts: [
        { name: "dev", mountPath: "/dev" },
        { name: "run", mountPath: "/run" },
      ],
      ports: [{ name: "linstor", containerPort: 3366, protocol: "TCP" }],
    },
  ],
  volumes: [
    { name: "dev", hostPath: { path: "/dev", type: "Directory" } },
    { name: "run", emptyDir: {} },
  ],
};

const patches: [string, object][] = [
  ["a field", { hostPID: true, imagePullSecrets: null }],
  ["a list without a key", { tolerations: [{ key: "a", operator: "Exists" }] }],
  ["an element that is there", { containers: [{ name: "satellite", image: "s:2", args: ["stop"] }] }],
  ["a new container comes first", { containers: [{ name: "exporter", image: "e:1" }] }],
  [
    "the order of the patch",
    {
      containers: [
        { name: "exporter", image: "e:1" },
        { name: "satellite", image: "s:2" },
      ],
    },
  ],
  ["an element is deleted", { initContainers: [{ name: "loader", $patch: "delete" }] }],
  ["one that is not there is deleted", { initContainers: [{ name: "nobody", $patch: "delete" }] }],
  [
    "one is deleted and another added",
    {
      initContainers: [
        { name: "guard", $patch: "delete" },
        { name: "new", image: "n" },
      ],
    },
  ],
  ["a list is replaced", { initContainers: [{ $patch: "replace" }, { name: "only", image: "o" }] }],
  ["an object is replaced", { affinity: { $patch: "replace", podAffinity: {} } }],
  ["an object is deleted", { affinity: { $patch: "delete" } }],
  [
    "lists within",
    {
      containers: [
        {
          name: "satellite",
          env: [
            { name: "B", value: "3" },
            { name: "C", value: "4" },
          ],
        },
      ],
    },
  ],
  ["mounts by their path", { containers: [{ name: "satellite", volumeMounts: [{ mountPath: "/run", name: "dev" }] }] }],
  ["ports by their number", { containers: [{ name: "satellite", ports: [{ containerPort: 3366, name: "x" }] }] }],
  [
    "a volume",
    {
      volumes: [
        { name: "src", hostPath: { path: "/usr/src" } },
        { name: "dev", hostPath: { path: "/mnt" } },
      ],
    },
  ],
  ["nulls in what is new", { securityContext: { runAsUser: null, fsGroup: 1 } }],
  ["secrets by their name", { imagePullSecrets: [{ name: "two" }] }],
];

type Workload = KubernetesObject & { spec: { template: { spec: Record<string, unknown> } } };

/** What becomes of a DaemonSet's patches without an API server, held against what one makes of them. */
export function daemonSetPatches(open: () => Promise<Bench>): void {
  describe("strategic merge patches of a DaemonSet, as satellites are patched", () => {
    test.each(patches)("%s", async (_what, patch) => {
      const { admin, namespace } = await open();
      const labels = { app: "satellite" };
      const template = { metadata: { labels }, spec: base };
      const { apiVersion, kind } = DaemonSet;
      const metadata = { name: "satellite", namespace } as KubernetesObject["metadata"];
      const spec = { selector: { matchLabels: labels }, template };
      const before = await admin.create<Workload>(DaemonSet, { apiVersion, kind, metadata, spec });
      const change = { spec: { template: { spec: patch } } };
      const patched = await admin.patch<Workload>(DaemonSet, namespace, "satellite", "strategic", change);
      const ours = mergeDaemonSet(before.spec.template.spec, patch as Record<string, unknown>);
      // The server fills in what is new: it is given ours, too, to do the same with it.
      const again = await admin.request<Workload>("PUT", pathOf(DaemonSet, namespace, "satellite"), {
        ...before,
        // Unguarded: its controller writes the status of this very object.
        metadata: { ...before.metadata, resourceVersion: undefined },
        spec: { ...before.spec, template: { ...before.spec.template, spec: ours } },
      });
      expect(again.spec.template.spec).toEqual(patched?.spec.template.spec);
    });
  });
}
