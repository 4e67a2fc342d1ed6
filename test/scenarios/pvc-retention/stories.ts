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
import { racing } from "./racing.ts";
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
  ...racing,
  ...upgrading,
  ...disturbance,
];
