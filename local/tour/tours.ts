import { UserError } from "../../shared/command/user-error.ts";
import { nothingLeft } from "./namespace.ts";
import type { Chapter } from "./play.ts";
import type { Tour, TourWorld } from "./tour.ts";

/**
 * Tours by their names, one chapter each; after the last everything is deleted. On a user's cluster those that are
 * not for it are left out.
 *
 * @throws UserError where that leaves none.
 */
export async function openTours(names: readonly string[], world: TourWorld): Promise<readonly Chapter[]> {
  const tours = (await Promise.all(names.map(tourNamed))).filter(({ ownCluster }) => !ownCluster || world.own);
  if (tours.length === 0)
    throw new UserError(`The tour ${names} has stand-ins for what lies outside; play it without --kubeconfig.`);
  return tours.map(({ title, steps }, index) => {
    return { title, steps: [...steps(world), ...(index === tours.length - 1 ? [nothingLeft(world)] : [])] };
  });
}

async function tourNamed(name: string): Promise<Tour> {
  const { tour } = (await import(new URL(`${name}/tour.ts`, import.meta.url).href)) as { tour: Tour };
  return tour;
}
