import { expect, test } from "vitest";
import { type Kind, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { progressKey } from "../../shared/progress.ts";
import { progressNameOf } from "../../shared/rule.ts";
import { loadRules, systemNames } from "../rules/load-systems.ts";
import { findingsAbout, type WaitingObject, waitsOn } from "./waiting-objects.ts";

const kind = { apiVersion: "example.com/v1", kind: "Thing", plural: "things", namespaced: false };

test("an object in a step with a Warning is stuck, whichever sharing rule has it, and no kept volume is", async () => {
  const rules = await loadRules(systemNames());
  const warnings = rules.flatMap((rule) =>
    Object.entries(rule.steps ?? {}).flatMap(([step, event]) => (event?.type === "Warning" ? [{ rule, step }] : [])),
  );
  expect(warnings.length).toBeGreaterThan(20);
  for (const { rule, step } of warnings) {
    const written = { v: 1, uid: "1", step, since: "2026-01-01T00:00:00Z", because: "It waits." };
    const annotations = { [progressKey(progressNameOf(rule))]: JSON.stringify(written) };
    const labels = { "holdfast.dev/volume-of": "shop" };
    const object = { ...kind, metadata: { name: "one", uid: "1", resourceVersion: "1", annotations, labels } };
    const [waiting] = waitsOn(kind, object, rules);
    const isKept = step === "asks";
    expect([rule.name, step, waiting?.isStuck, waiting?.keptOf === "shop"]).toEqual([rule.name, step, !isKept, isKept]);
  }
});

test("kept volumes of a deleted namespace are one finding, with their number and when the first is due", () => {
  const volume = (name: string, next?: string): WaitingObject => ({
    ...{ object: `PersistentVolume ${name}`, rule: "undelete/note", step: "asks", since: "2026-01-01T00:00:00Z" },
    ...{ because: "It is kept.", isStuck: false, keptOf: "shop", explain: "", ...(next ? { next } : {}) },
  });
  const volumes = [volume("a"), volume("b", "2026-01-03T00:00:00Z"), volume("c", "2026-01-02T00:00:00Z")];
  const [finding, ...more] = findingsAbout(volumes, { period: 300_000 }, Date.parse("2026-01-01T00:00:00Z"));
  expect(more).toEqual([]);
  expect(finding).toEqual({
    what: expect.stringMatching(/^Namespace shop is gone .*: 3\. The first is due 2026-01-02 00:00 UTC, in 1 d: then/),
    todo: expect.stringMatching(/restore namespace shop\. .* annotate pv a b c --overwrite holdfast\.dev\/offer=no$/),
  });
  expect(findingsAbout([volume("a")], { period: 300_000 }, 0)[0]?.what).toContain("None has a time.");
});

test("where Holdfast is installed in another namespace, the command that explains an object names it", async () => {
  const rules = await loadRules(systemNames());
  const written = { v: 1, uid: "1", step: "asks", since: "2026-01-01T00:00:00Z", because: "It waits." };
  const annotations = { [progressKey("undelete/note")]: JSON.stringify(written) };
  const object = { ...kind, metadata: { name: "one", uid: "1", resourceVersion: "1", annotations } };
  const [waiting] = waitsOn(kind, object, rules, { installNamespace: "keeping" });
  expect(waiting?.explain).toBe("holdfast explain thing/one --install-namespace keeping");
  const stuck = Array.from({ length: 11 }, () => ({ ...(waiting as WaitingObject), isStuck: true }));
  expect(findingsAbout(stuck, { period: 300_000 }, 0, "keeping").at(-1)).toMatchObject({
    what: "One more object is stuck.",
    todo: "All of them: holdfast status --install-namespace keeping -o json",
  });
});

test("where the console is known, an object that waits comes with its page, if the console has one", async () => {
  const rules = await loadRules(systemNames());
  const written = { v: 1, uid: "1", step: "asks", since: "2026-01-01T00:00:00Z", because: "It waits." };
  const annotations = { [progressKey("undelete/note")]: JSON.stringify(written) };
  const waitsAs = (kind: Kind, console?: string) => {
    const object = { ...kind, metadata: { name: "one", uid: "1", resourceVersion: "1", annotations } };
    return waitsOn(kind, object, rules, { console });
  };
  const [waiting] = waitsAs(PersistentVolume, "https://console.example");
  const page = "https://console.example/object/PersistentVolume/_/one";
  expect(waiting?.page).toBe(page);
  const [finding] = findingsAbout([{ ...(waiting as WaitingObject), isStuck: true }], { period: 300_000 }, 0);
  expect(finding?.todo).toMatch(new RegExp(`^Why, .*: holdfast explain persistentvolume/one, or ${page}$`));
  expect(waitsAs(kind, "https://console.example")[0]).not.toHaveProperty("page");
  expect(waitsAs(PersistentVolume)[0]).not.toHaveProperty("page");
});
