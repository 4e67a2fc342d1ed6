import { applyDaemonset } from "../../functions/satellite/apply-daemonset/rule.ts";
import { awaitEmpty } from "../../functions/satellite/await-empty/rule.ts";
import { awaitReattach } from "../../functions/satellite/await-reattach/rule.ts";
import { awaitSatellites } from "../../functions/satellite/await-satellites/rule.ts";
import { configure } from "../../functions/satellite/configure/rule.ts";
import { createSatellite } from "../../functions/satellite/create/rule.ts";
import { deleteSatellite } from "../../functions/satellite/delete/rule.ts";
import { evacuate } from "../../functions/satellite/evacuate/rule.ts";
import { mark } from "../../functions/satellite/mark/rule.ts";
import { register } from "../../functions/satellite/register/rule.ts";
import { releaseDrain } from "../../functions/satellite/release-drain/rule.ts";
import { releaseTerminate } from "../../functions/satellite/release-terminate/rule.ts";
import { remove } from "../../functions/satellite/remove/rule.ts";
import { removeLost } from "../../functions/satellite/remove-lost/rule.ts";
import { restore } from "../../functions/satellite/restore/rule.ts";
import { retain } from "../../functions/satellite/retain/rule.ts";
import { setHooks } from "../../functions/satellite/set-hooks/rule.ts";
import { syncPools } from "../../functions/satellite/sync-pools/rule.ts";
import { unmark } from "../../functions/satellite/unmark/rule.ts";
import type { Rule } from "../../shared/rule.ts";

/** Every rule of the system. */
export const rules = [
  createSatellite,
  configure,
  deleteSatellite,
  applyDaemonset,
  register,
  syncPools,
  setHooks,
  mark,
  awaitSatellites,
  releaseDrain,
  awaitReattach,
  evacuate,
  awaitEmpty,
  unmark,
  releaseTerminate,
  remove,
  retain,
  removeLost,
  restore,
] as unknown as readonly Rule[];
