import type { TourName } from "./names.ts";
import { nothingLeft } from "./namespace.ts";
import type { Chapter, Step } from "./play.ts";
import { pvcProtectionTour } from "./pvc-protection.ts";
import { pvcRetentionTour } from "./pvc-retention.ts";
import { undeleteTour } from "./undelete.ts";
import type { TourWorld } from "./world.ts";

const tours = {
  "pvc-protection": { title: "PVC protection", steps: pvcProtectionTour },
  "pvc-retention": { title: "PVC retention for StatefulSets", steps: pvcRetentionTour },
  undelete: { title: "Undelete", steps: undeleteTour },
} as const satisfies Record<TourName, { readonly title: string; steps(world: TourWorld): Step[] }>;

/** Tours on a stage, one chapter each; after the last everything is taken away. */
export function openTours(names: readonly TourName[], world: TourWorld): readonly Chapter[] {
  return names.map((name) => {
    const { title, steps } = tours[name];
    return { title, steps: [...steps(world), ...(name === names.at(-1) ? [nothingLeft(world)] : [])] };
  });
}
