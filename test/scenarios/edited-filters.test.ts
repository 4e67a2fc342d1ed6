import { describe } from "vitest";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import type { Setting } from "../worlds/world.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { beside } from "./pvc-protection/settings.ts";
import { stories } from "./pvc-protection/stories.ts";
import { documentList } from "./pvc-retention/document-list.ts";
import { watchInvariants as watchRetention } from "./pvc-retention/invariants.ts";
import { byDefault } from "./pvc-retention/settings.ts";
import type { Story } from "./story.ts";
import { tell } from "./tell.ts";

/** As if an administrator had emptied the filters: each function gets every event of its brokers, and must not mind. */
function unfiltered(setting: Setting): Setting {
  const { edit = (object) => object } = setting;
  const emptied = (object: KubernetesObject) =>
    object.kind === "Trigger" ? { ...object, spec: { ...(object.spec as object), filters: [] } } : object;
  return {
    ...setting,
    name: "whose Triggers let everything through",
    edit: (object) => emptied(edit(object)),
  };
}

/** What is told in a setting, told in another. */
const movedTo = (setting: Setting, from: Setting, all: readonly Story[]): readonly Story[] =>
  all.filter(({ settings }) => settings?.includes(from) ?? true).map((story) => ({ ...story, settings: [setting] }));

describe("PVC protection after its filters were edited", () => {
  const setting = unfiltered(beside);
  // What wakes a function is what such an edit changes: those who count wakes are told of the filters as they are shipped.
  const told = stories.filter(({ title }) => !title.includes("wake no function"));
  tell(movedTo(setting, beside, told), [setting], { open: emulatedWorld, watch: watchInvariants });
});

describe("PVC retention after its filters were edited", () => {
  const setting = unfiltered(byDefault);
  tell(movedTo(setting, byDefault, documentList), [setting], { open: emulatedWorld, watch: watchRetention });
});
