import { afterAll, beforeAll } from "vitest";
import type { RealWorlds } from "./real-world.ts";

/** Worlds that are there while tests run. */
export type OpenWorlds = Pick<RealWorlds, "open">;

/** Starts worlds before the tests of the `describe` it is called in, and stops them after the last. */
export function whileTestsRun(start: () => Promise<RealWorlds>): OpenWorlds {
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await start();
  });
  afterAll(() => worlds?.stop());
  return { open: (...args) => worlds.open(...args) };
}
