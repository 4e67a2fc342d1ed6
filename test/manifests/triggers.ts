import { type Declared, loadDeclared } from "../../build/manifests/declared.ts";
import { defaultFeatures } from "../../eventing/features.ts";
import { readTrigger } from "../../eventing/manifest/trigger.ts";
import * as known from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { pollSignal, slug } from "../../shared/rule.ts";
import { root } from "./kustomization.ts";
import { ofKind } from "./schemas/schemas.ts";

/** Every kind that a function could be triggered by. */
const declared = await loadDeclared(root);
const triggers = declared.flatMap(({ triggers = [] }) => triggers);
const kinds = [
  ...new Map(
    [...Object.values(known).filter((value) => typeof value === "object"), ...triggers.map(({ kind }) => kind)].map(
      (kind) => [`${kind.apiVersion} ${kind.kind}`, kind],
    ),
  ).values(),
];
const types = [
  ...["add", "update", "delete"].map((change) => `dev.knative.apiserver.resource.${change}`),
  "dev.knative.apiserver.ref.update",
  "dev.holdfast.sweep",
  ...new Set(triggers.flatMap(({ signal }) => signal ?? [])),
  ...declared.map(({ name }) => pollSignal(name)),
];

/** Whether the filters of a Trigger let an event through, as the laptop edition's broker obeys them. */
export const passes = (trigger: object, type: string, kind: Pick<known.Kind, "apiVersion" | "kind">): boolean =>
  passesOf(trigger)(type, kind);

/** The same, with the Trigger read once for many events. */
function passesOf(trigger: object): (type: string, kind: Pick<known.Kind, "apiVersion" | "kind">) => boolean {
  const { filter } = readTrigger(trigger as KubernetesObject, defaultFeatures);
  const event = (type: string, { apiVersion, kind }: Pick<known.Kind, "apiVersion" | "kind">) => ({
    specversion: "1.0",
    id: "1",
    source: "a",
    type,
    kind,
    apiversion: apiVersion,
    namespace: "n",
    name: "x",
  });
  return (type, kind) => filter(event(type, kind));
}

/** What the Triggers among these objects let through to a function: types and kinds, sorted. */
export function triggeredBy({ name }: Declared, objects: readonly KubernetesObject[]): readonly string[] {
  const triggers = ofKind("Trigger", objects).filter(({ spec }) => spec.subscriber.ref?.name === slug(name));
  const passed = triggers
    .map(passesOf)
    .flatMap((isPassed) =>
      types.flatMap((type) => kinds.filter((kind) => isPassed(type, kind)).map(({ kind }) => `${type} ${kind}`)),
    );
  return passed.sort();
}

/** What a function wants to be triggered by, by default or with an overlay: types and kinds, sorted. */
export function declaredTriggers({ name, triggers = [], sweep = [] }: Declared, overlay?: string): readonly string[] {
  const changes = triggers
    .filter((trigger) => trigger.overlay === overlay)
    .flatMap(({ kind, changes, signal }) => [
      ...changes.map((change) => `dev.knative.apiserver.resource.${change} ${kind.kind}`),
      ...(signal ? [`${signal} ${kind.kind}`] : []),
    ]);
  const swept = overlay
    ? []
    : sweep.flatMap(({ kind, alone }) => [
        `dev.holdfast.sweep ${kind.kind}`,
        ...(alone ? [`${pollSignal(name)} ${kind.kind}`] : []),
      ]);
  return [...changes, ...new Set(swept)].sort();
}
