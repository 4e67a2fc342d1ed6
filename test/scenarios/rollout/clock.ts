import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Clock, systemClock } from "../../../shared/clock.ts";

/** A clock that goes at the machine's pace and can be put forward, for this process and for those it starts. */
export interface LeapingClock extends Clock {
  /** Puts the clock forward. Processes that run already do not notice. */
  leap(ms: number): void;
  /** What `node` has to be called with so that a process goes by this clock from its start on. */
  readonly args: readonly string[];
}

/** Only `Date.now` is shifted: that is what the kit's clock reads. */
const shim = `import { readFileSync } from "node:fs";
const now = Date.now;
const ahead = Number(readFileSync(new URL("ahead", import.meta.url)));
Date.now = () => now() + ahead;
`;

/** `folder` is where processes find how far the clock is ahead. */
export function leapingClock(folder: string): LeapingClock {
  let ahead = 0;
  const note = () => writeFileSync(join(folder, "ahead"), String(ahead));
  const file = join(folder, "clock.mjs");
  writeFileSync(file, shim);
  note();
  return {
    now: () => systemClock.now() + ahead,
    after: systemClock.after,
    sleep: systemClock.sleep,
    args: ["--import", pathToFileURL(file).href],
    leap(ms) {
      ahead += ms;
      note();
    },
  };
}
