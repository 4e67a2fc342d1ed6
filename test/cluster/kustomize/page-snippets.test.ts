import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { root } from "../../manifests/kustomization.ts";
import { kubectl } from "../kubectl.ts";
import { buildOverlay, environmentOf } from "./build.ts";

/** A part of an overlay that a page shows, for a reader's own one. */
interface Snippet {
  readonly components?: readonly string[];
  readonly patches?: readonly object[];
}

const everything = [
  ...["volume", "satellite", "eviction"].flatMap((system) => [`knative/access/${system}`, `knative/${system}`]),
  "knative/components/network-policy",
];

const snippets = globSync("docs/*.md", { cwd: root }).flatMap((page) => {
  const blocks = readFileSync(join(root, page), "utf8").matchAll(/^```yaml\n((?:patches|components):[\s\S]*?)^```/gm);
  return [...blocks].map(([, text = ""], at) => ({ page, at: at + 1, snippet: parse(text) as Snippet }));
});

/** Whether a patch of a page changes anything of an install with Knative, or of one without. */
function isChangedBy(patch: object, { components = [] }: Snippet): boolean {
  const isChanged = (build: (patches: readonly object[]) => KubernetesObject[]) =>
    JSON.stringify(build([patch])) !== JSON.stringify(build([]));
  return (
    isChanged((patches) => overlayWith({ components, patches })) ||
    isChanged((patches) => buildOverlay({ resources: ["knative/overlays/no-knative"], patches }))
  );
}

/** The overlay of a reader with all systems, and with the snippet. */
function overlayWith({ components = [], patches = [] }: Snippet): KubernetesObject[] {
  const own = components.map((path) => path.replace("../", ""));
  return buildOverlay({ components: [...everything.filter((one) => !own.includes(one)), ...own], patches });
}

describe.skipIf(!kubectl)("snippets for overlays", () => {
  test.each(snippets)("$page, $at: each patch changes something that is installed", ({ snippet }) => {
    const { patches = [] } = snippet;
    for (const patch of patches) expect(isChangedBy(patch, snippet)).toBe(true);
    if (patches.length === 0) expect(overlayWith(snippet)).not.toEqual(overlayWith({}));
  });

  test("the snippet for oauth2-proxy sets the variables that it is about", () => {
    const { snippet } = snippets.find(({ page }) => page === "docs/console.md") ?? {};
    expect(environmentOf("platform-console", overlayWith(snippet ?? {}))).toMatchObject({
      SIGN_IN: "proxy",
      ORIGIN: "https://holdfast.example.com",
    });
  });
});

test("pages have such snippets", () => expect(snippets.length).toBeGreaterThan(6));
