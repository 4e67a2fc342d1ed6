import { expect } from "vitest";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import { annotateClaim, boundVolume, createClaim, keptClaim, patchVolume } from "./helpers.ts";

/** How often undelete looked at claims of the namespace while something was done: once in each look at a volume. */
async function looks(world: World, deed: () => Promise<unknown>): Promise<number> {
  await world.rest();
  const before = world.calls.length;
  await deed();
  await world.rest();
  const gets = world.calls.slice(before).filter(({ request }) => request.method === "GET");
  return gets.filter(
    ({ rule, request }) => rule === "undelete/retain" && request.path.includes("/persistentvolumeclaims/"),
  ).length;
}

const touched = { "scenario.example/touched": "yes" };

/** What undelete costs where it has little to do. */
export const quiet: readonly Scenario[] = [
  {
    title: "a new claim, to be kept or not, is looked at once, and not again when its volume changes or is noted",
    within: true,
    async run(world) {
      const bind = async () => {
        await createClaim(world, { keep: "" });
        await boundVolume(world);
      };
      expect(await looks(world, bind)).toBe(1);
      expect(await looks(world, () => annotateClaim(world, touched))).toBe(1);
      const volume = await boundVolume(world);
      expect(await looks(world, () => patchVolume(world, volume, { metadata: { labels: touched } }))).toBe(0);
      expect(await looks(world, () => keptClaim(world, { name: "kept" }))).toBe(1);
    },
  },
];
