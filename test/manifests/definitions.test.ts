import { expect, test } from "vitest";
import { readKustomization } from "./kustomization.ts";

// A user who deletes a definition deletes all objects of its kind, and with them what they stand for.

const label = "app.kubernetes.io/part-of";
const names = ["default", "volume", "satellite", "eviction"];
const overlays = names.map((name) => readKustomization(`knative/overlays/${name}`));
const objects = overlays.flatMap(({ objects }) => objects);
const isDefinition = ({ kind }: { readonly kind: string }) => kind === "CustomResourceDefinition";

test("tools that prune leave every definition where it is", () => {
  const definitions = objects.filter(isDefinition);
  expect(definitions.length).toBeGreaterThan(3);
  for (const { metadata } of definitions)
    expect(metadata.annotations).toMatchObject({
      "kustomize.toolkit.fluxcd.io/prune": "disabled",
      "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
    });
});

test("the label by which an uninstall finds objects is on everything but definitions", () => {
  for (const object of objects)
    expect([object.kind, object.metadata.name, object.metadata.labels?.[label] === "holdfast"]).toEqual([
      object.kind,
      object.metadata.name,
      !isDefinition(object),
    ]);
});
