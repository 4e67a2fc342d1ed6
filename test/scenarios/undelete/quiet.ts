import { expect } from "vitest";
import type { Cluster } from "../../harness/cluster.ts";
import type { Scenario } from "../scenario.ts";
import { annotateClaim, boundVolume, createClaim, keptClaim, patchVolume } from "./helpers.ts";

/** How often undelete looked at claims of the namespace while something was done: once in each look at a volume. */
async function looks(cluster: Cluster, deed: () => Promise<unknown>): Promise<number> {
  await cluster.rest();
  const before = cluster.calls.length;
  await deed();
  await cluster.rest();
  const gets = cluster.calls.slice(before).filter(({ request }) => request.method === "GET");
  return gets.filter(
    ({ rule, request }) => rule === "undelete/retain" && request.path.includes("/persistentvolumeclaims/"),
  ).length;
}

const touched = { "scenario.example/touched": "yes" };

/** What undelete costs where it has little to do. */
export const quiet: readonly Scenario[] = [
  {
    title: "a new claim causes one look, and none when its volume changes or gets a note",
    within: true,
    async run(cluster) {
      const bind = async () => {
        await createClaim(cluster, { keep: "" });
        await boundVolume(cluster);
      };
      expect(await looks(cluster, bind)).toBe(1);
      expect(await looks(cluster, () => annotateClaim(cluster, touched))).toBe(1);
      const volume = await boundVolume(cluster);
      expect(await looks(cluster, () => patchVolume(cluster, volume, { metadata: { labels: touched } }))).toBe(0);
      expect(await looks(cluster, () => keptClaim(cluster, { name: "kept" }))).toBe(1);
    },
  },
];
