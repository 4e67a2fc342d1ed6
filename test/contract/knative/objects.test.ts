import { expect, test } from "vitest";
import { defaultFeatures } from "../../../eventing/features.ts";
import { type EventingKind, isEventing, readPlan as readEventing } from "../../../eventing/manifest/read-plan.ts";
import { readService } from "../../../local/serving/plan.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { containersAsStored, containersOf } from "../../manifests/as-stored.ts";
import { readKustomization } from "../../manifests/kustomization.ts";
import { recordedObjects } from "./recorded.ts";

const shipped = readKustomization("knative/overlays/default").objects;
const stored = recordedObjects().map(({ recorded, object }) => [recorded, object] as const);

/** Paths of the fields of an object; of a list the fields of all its items together. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => fieldsOf(item, `${path}[]`)))];
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, path ? `${path}.${name}` : name));
}

/** What Knative's webhooks and controllers add to what was applied, as docs/gitops.md says. */
const added: Readonly<Record<string, readonly string[]>> = {
  Service: ["traffic[].latestRevision", "traffic[].percent"],
  Trigger: ["delivery.deadLetterSink.ref.namespace", "filter", "subscriber.ref.namespace"],
  Broker: [
    "config.apiVersion",
    "config.kind",
    "config.name",
    "config.namespace",
    "delivery.backoffDelay",
    "delivery.backoffPolicy",
    "delivery.retry",
  ],
};

test.each(stored)("Knative adds to %s what is said of it, and nothing else", (_, object) => {
  const { kind, metadata } = object;
  const ours = shipped.find(
    (one) => one.kind === kind && one.metadata.name === metadata.name.replace("workloads-cluster", "storage-cluster"),
  ) as (KubernetesObject & { spec?: object }) | undefined;
  const before = new Set(fieldsOf(ours?.spec ?? {}));
  expect(ours).toBeDefined();
  const more = fieldsOf(object.spec).filter((path) => !before.has(path));
  expect(more.sort()).toEqual([...(added[kind] ?? [])]);
});

test.each(stored)("%s is obeyed as it is stored", (_, object) => {
  const read = isEventing(object)
    ? () => readEventing(object.kind as EventingKind, object, defaultFeatures)
    : () => readService(object);
  expect(read).not.toThrow();
});

test.each(stored.filter(([, { kind }]) => kind === "Service"))(
  "the containers of %s are what stored ones are expected to have",
  (_, object) => expect(containersAsStored(object)).toEqual(containersOf(object)),
);
