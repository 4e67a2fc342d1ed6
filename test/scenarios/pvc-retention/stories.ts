import type { Setting } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { bequeathing } from "./bequeathing.ts";
import { condemning } from "./condemning.ts";
import { disturbance } from "./disturbance.ts";
import { documentList } from "./document-list.ts";
import { forgiving } from "./forgiving.ts";
import { gracePeriods } from "./grace.ts";
import { holes } from "./holes.ts";
import { orphaning } from "./orphaning.ts";
import { owning } from "./owning.ts";
import { projecting } from "./projecting.ts";
import { quiet } from "./quiet.ts";
import { racing } from "./racing.ts";
import { whole } from "./settings.ts";
import { upgrading } from "./upgrading.ts";
import { upstream } from "./upstream.ts";

/** Every story of PVC retention. Those that do not say where they are told are told in every setting. */
export const stories: readonly Story[] = [
  ...documentList,
  ...orphaning,
  ...upstream,
  ...holes,
  ...projecting,
  ...owning,
  ...condemning,
  ...bequeathing,
  ...forgiving,
  ...gracePeriods,
  ...quiet,
  ...racing,
  ...upgrading,
  ...disturbance,
];

/**
 * Of these stories, those that are told in a setting besides `whole`, where all are: what is its own, and what is about claims that
 * the functions delete there, and Kubernetes elsewhere.
 */
export function differingIn(setting: Setting, all: readonly Story[]): readonly Story[] {
  const isToldIn = ({ settings }: Story, one: Setting) => settings?.includes(one) ?? true;
  const further = [...condemning, ...bequeathing];
  return all
    .filter((story) => isToldIn(story, setting) && (!isToldIn(story, whole) || further.includes(story)))
    .map((story) => ({ ...story, settings: [setting] }));
}
