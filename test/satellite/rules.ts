import { admit } from "../../functions/satellite/admit/rule.ts";
import { awaitEmpty } from "../../functions/satellite/await-empty/rule.ts";
import { awaitReattach } from "../../functions/satellite/await-reattach/rule.ts";
import { awaitSatellites } from "../../functions/satellite/await-satellites/rule.ts";
import { configure } from "../../functions/satellite/configure/rule.ts";
import { evacuate } from "../../functions/satellite/evacuate/rule.ts";
import { hook } from "../../functions/satellite/hook/rule.ts";
import { lose } from "../../functions/satellite/lose/rule.ts";
import { mark } from "../../functions/satellite/mark/rule.ts";
import { pools } from "../../functions/satellite/pools/rule.ts";
import { register } from "../../functions/satellite/register/rule.ts";
import { releaseDrain } from "../../functions/satellite/release-drain/rule.ts";
import { releaseTerminate } from "../../functions/satellite/release-terminate/rule.ts";
import { remove } from "../../functions/satellite/remove/rule.ts";
import { restore } from "../../functions/satellite/restore/rule.ts";
import { retain } from "../../functions/satellite/retain/rule.ts";
import { retire } from "../../functions/satellite/retire/rule.ts";
import { spawn } from "../../functions/satellite/spawn/rule.ts";
import { unmark } from "../../functions/satellite/unmark/rule.ts";
import type { Rule } from "../../shared/rule.ts";

/** Every rule of the system. */
export const rules = [
  admit,
  configure,
  retire,
  spawn,
  register,
  pools,
  hook,
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
  lose,
  restore,
] as unknown as readonly Rule[];
