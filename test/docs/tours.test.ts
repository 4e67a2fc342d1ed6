import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRecorder, readRecordings, shown, stepsIn } from "../../local/start/testing/recording.ts";
import type { Tour, TourWorld } from "../../local/tour/tour.ts";
import { root } from "../manifests/kustomization.ts";

const folder = join(root, "local/tour");
const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));
const recordings = readRecordings();

/** A cluster with all that a tour asks for. Steps only name it, and its node: nothing is done in them here. */
const world = new Proxy(() => {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => "laptop" : key === "then" ? undefined : world),
  apply: () => world,
}) as never;

test.each(names)("the recording of the tour %s has its steps, in their words and in their order", async (name) => {
  const { tour } = (await import(join(folder, name, "tour.ts"))) as { readonly tour: Tour };
  const expected = tour
    .steps(world as TourWorld)
    .flatMap(({ title, text, proofs }, at) => [`${at + 1}. ${title}`, text, ...proofs.map(({ what }) => `ok ${what}`)])
    .map((line) => line.replaceAll(/\s+/g, " "));
  const recorded = stepsIn(recordings.get(tour.title) ?? "").slice(0, expected.length);
  expect(recorded).toEqual(expected);
});

test("a recording keeps steps and proofs apart from what functions did, wherever lines are broken", () => {
  let now = 5;
  const { hear, recordings } = createRecorder(() => now);
  const long = "a word ".repeat(30).trim();
  const steps = ["", " The tour ", "", "1. A step", `   ${long}`, "  protect write claim x: Done. [uid 1, event 2]"];
  hear(`Bundling\n${steps.join("\n")}\n   o`);
  now = 7.25;
  hear(`Bundling\n${steps.join("\n")}\n   ok it is so (2.2 s)\n      because\n`);
  const text = shown(recordings().get("The tour") ?? []);
  expect(stepsIn(text)).toEqual(["1. A step", long, "ok it is so"]);
  expect(text).toContain("\n    2.3 s     ok it is so (2.2 s)");
  expect(text).toContain("    0.0 s    protect write claim x: Done.\n");
});
