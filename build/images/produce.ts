import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { baseOf } from "./base/base-of.ts";
import { buildRelease } from "./build-release.ts";
import type { Release } from "./oci/image.ts";
import type { BuildOptions, Destination } from "./options.ts";
import { writeLayout } from "./output/write-layout.ts";
import { writeTarball } from "./output/write-tarball.ts";
import type { Progress } from "./progress.ts";
import { pushRelease, type Whereabouts } from "./registry/push-release.ts";
import { connect } from "./registry/registry.ts";
import { registryAccessOf } from "./registry/registry-access.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const work = join(root, "dist/images");

/** Where what is fetched of bases is kept. */
export const baseCache = join(work, "base");

/**
 * Builds functions and brings the images to where they are wanted. Returns the names, with digests, of those that were
 * pushed, by function.
 *
 * @throws UserError
 */
export async function produce(
  functions: readonly string[],
  options: BuildOptions,
  destination: Destination,
  { show, warn }: Progress,
  environment: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  const access = registryAccessOf(environment, options.insecure);
  show("looking at the base");
  const base = await baseOf(options, baseCache, access);
  const workshop = { root, work, base, created: createdFrom(environment), sbom: options.sbom, show, warn };

  const names = new Map<string, string>();
  if ("push" in destination) {
    const { push } = destination;
    // Before anything is built for a registry that is not there.
    await connect(push.repository, "pull,push", access);
    const whereabouts: Whereabouts = new Map();
    for (const { layers } of base.images)
      for (const { descriptor } of layers) if (base.origin) whereabouts.set(descriptor.digest, base.origin);
    for (const name of functions) {
      const release = await buildRelease(name, workshop);
      names.set(name, await pushRelease(release, push, access, whereabouts, show));
    }
    return names;
  }
  const releases: Release[] = [];
  for (const name of functions) releases.push(await buildRelease(name, workshop));
  if ("layout" in destination) await writeLayout(destination.layout, releases);
  else await writeTarball(destination.tarball, releases);
  return names;
}

/** The beginning of time, so that an image says nothing of when it was made; or what the convention for that says. */
function createdFrom({ SOURCE_DATE_EPOCH: seconds }: NodeJS.ProcessEnv): string {
  const time = new Date(Number(seconds || 0) * 1000);
  return Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString();
}
