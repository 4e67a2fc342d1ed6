const imports = (depth: string) => `import * as z from "zod";
import { about } from "${depth}shared/about.ts";
import type { Decision } from "${depth}shared/decision.ts";
import { PersistentVolumeClaim } from "${depth}shared/kubernetes/kind.ts";
import type { KubernetesObject } from "${depth}shared/kubernetes/object.ts";
import { on, rule } from "${depth}shared/rule.ts";
import { resync } from "${depth}shared/sweep.ts";
`;

const doc = "Waits with a claim that is labelled toy=true, and does nothing else.";

const finalizersText = (finalizer: string) => `
  finalizers: [{ kind: PersistentVolumeClaim, finalizer: "${finalizer}" }],`;

const ruleText = (name: string, finalizer?: string) => `${imports("../../../")}
/** The label of claims that this rule waits with. */
const label = "toy";

export const toy = rule({
  name: "${name}",
  doc: "${doc}",
  settings: z.object({}),
  triggers: [on(PersistentVolumeClaim, ["add"])],
  permissions: [{ resource: PersistentVolumeClaim, verbs: ["get"], why: "to see whether the claim is there" }],
  sweep: [resync(PersistentVolumeClaim)],${finalizer ? finalizersText(finalizer) : ""}
  subjects: ({ kind, change, namespace = "", name }) =>
    kind === "PersistentVolumeClaim" && change !== "update" ? [{ kind: PersistentVolumeClaim, namespace, name }] : [],
  look: ({ namespace, name = "" }, { client }) => client.get(PersistentVolumeClaim, namespace, name),
  decide,
});

function decide(claim: KubernetesObject | undefined, now: number): readonly Decision[] {
  if (claim?.metadata.labels?.[label] !== "true") return [];
  const because = \`Claim \${claim.metadata.name} is a toy: remove its label \${label} when you have played enough.\`;
  return [about(PersistentVolumeClaim, claim).wait(because, { next: now + 60_000 })];
}
`;

const indexText = `import { serve } from "../../../shared/serve/serve.ts";
import { toy } from "./rule.ts";

serve(toy);
`;

const testText = `import { expect, test } from "vitest";
import { toy } from "./rule.ts";

const claim = (labels: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "shop", uid: "u1", resourceVersion: "1", labels },
});

test("a claim with the label waits, any other is left", () => {
  expect(toy.decide(claim({ toy: "true" }), 0, {})).toHaveLength(1);
  expect(toy.decide(claim({}), 0, {})).toEqual([]);
});
`;

const readmeText = (name: string) => `# ${name}

${doc}

## What triggers it

<!-- generated: triggers -->
<!-- end of triggers -->

## What it may do

<!-- generated: permissions -->
<!-- end of permissions -->

## Settings

<!-- generated: settings -->
<!-- end of settings -->
`;

/** A rule, by the paths of its files: all that anybody writes to add one. */
export const ruleFiles = (name: string, finalizer?: string): Readonly<Record<string, string>> => ({
  [`functions/${name}/rule.ts`]: ruleText(name, finalizer),
  [`functions/${name}/index.ts`]: indexText,
  [`functions/${name}/rule.test.ts`]: testText,
  [`functions/${name}/README.md`]: readmeText(name),
});

/** The finalizer of claims that the rule of a toy system declares. */
export const finalizerOf = (system: string): string => `holdfast.dev/${system}`;

/** A system of one rule, by the paths of its files. Without a `system.ts` it is installed by default. */
export const systemFiles = (name: string, optional: boolean): Readonly<Record<string, string>> => ({
  [`functions/${name}/README.md`]: `# ${name}\n\nA system that shows what adding one touches.\n`,
  ...(optional
    ? {
        [`functions/${name}/system.ts`]: `import type { SystemDeclaration } from "../../shared/system-declaration.ts";

export const system: SystemDeclaration = {
  name: "${name}",
  doc: "Shows what adding a system touches that is installed where an admin asks for it.",
  optional: true,
};
`,
      }
    : {}),
  ...ruleFiles(`${name}/wait`, finalizerOf(name)),
});
