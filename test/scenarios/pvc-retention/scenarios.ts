import type { Scenario } from "../scenario.ts";
import { admitting } from "./admitting.ts";
import { deleting } from "./deleting.ts";
import { disturbance } from "./disturbance.ts";
import { documentList } from "./document-list.ts";
import { holes } from "./holes.ts";
import { keeping } from "./keeping.ts";
import { orphaning } from "./orphaning.ts";
import { owning } from "./owning.ts";
import { projecting } from "./projecting.ts";
import { quiet } from "./quiet.ts";
import { scaling } from "./scaling.ts";
import { upgrading } from "./upgrading.ts";
import { upstream } from "./upstream.ts";

/** Every scenario of PVC retention. Those that do not say in which setting are run in every one. */
export const scenarios: readonly Scenario[] = [
  ...documentList,
  ...orphaning,
  ...upstream,
  ...holes,
  ...projecting,
  ...owning,
  ...scaling,
  ...deleting,
  ...keeping,
  ...quiet,
  ...admitting,
  ...upgrading,
  ...disturbance,
];
