import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { triggerManifest, triggersOf } from "../../build/manifests/triggers.ts";
import { release } from "../../functions/pvc-protection/release/rule.ts";
import { slug } from "../../shared/rule.ts";
import { loadRules, systemNames } from "../rules/load-systems.ts";
import { type FilteringTrigger, keptOut } from "./trigger-filters.ts";

const name = "pvc-protection-release";
const functions = new Map([[name, {}]]);
const elsewhere: FilteringTrigger = {
  spec: { subscriber: { ref: { name } }, filters: [{ not: { exact: { namespace: "staging" } } }] },
};
const to = (host: string): FilteringTrigger => ({
  spec: {
    subscriber: { uri: `http://${host}.holdfast.svc.cluster.local` },
    filters: [{ exact: { namespace: "staging" } }],
  },
});

test("a Trigger that sends the rest to another version of the function, by its tag, keeps nothing away", () =>
  expect(keptOut([elsewhere, to(`canary-${name}`)], functions, [release])).toEqual([]));

test.each(["canary-pvc-protection-protect", "not a host"])("a Trigger to %s does not count", (host) =>
  expect(keptOut([elsewhere, to(host)], functions, [release])).toHaveLength(1),
);

/** The Triggers of the release function as they are shipped, with other filters in one of them. */
const shipped = (broker: string, filters: readonly object[]) =>
  triggersOf(release).map((planned): FilteringTrigger => {
    const { spec } = triggerManifest(planned, undefined) as FilteringTrigger;
    return { spec: { ...spec, ...(planned.name === `${name}-${broker}` ? { filters } : {}) } };
  });
const update = { exact: { kind: "Pod", type: "dev.knative.apiserver.resource.update" } };
const deletes = { exact: { kind: "Pod", type: "dev.knative.apiserver.resource.delete" } };
const inShop = { exact: { namespace: "shop" } };

test.each<[string, readonly object[], readonly unknown[]]>([
  ["no deletion at all", [update], ["No Trigger brings these changes: pvc-protection-release (Pod delete)."]],
  ["the deletions of one namespace", [deletes, inShop], []],
  ["the deletions of all namespaces but one", [deletes, { not: inShop }], []],
  ["what another dialect says", [{ cesql: "kind = 'Pod'" }], []],
  ["what is left of a dialect that the API server does not know", [{}], []],
  ["what is left of it within another filter", [{ any: [update, { not: {} }] }], []],
  ["a source, which is not known here", [deletes, { not: { prefix: { source: "https://a.example" } } }], []],
  ["a source, beside no deletion", [update, { exact: { source: "https://a.example" } }], []],
])("a Trigger with a filter for %s", (_, filters, found) => {
  const findings = keptOut(shipped("workloads", filters), functions, [release]);
  expect(findings.map(({ what }) => what)).toEqual(found.map((what) => expect.stringContaining(what as string)));
});

test("the Triggers of all functions, as they are shipped, keep nothing away", async () => {
  const rules = await loadRules(systemNames());
  const triggers = (await loadDeclared(process.cwd()))
    .flatMap(triggersOf)
    .map((planned) => triggerManifest(planned, undefined) as FilteringTrigger);
  expect(triggers.length).toBeGreaterThan(rules.length);
  expect(keptOut(triggers, new Map(rules.map((rule) => [slug(rule.name), {}])), rules)).toEqual([]);
});
