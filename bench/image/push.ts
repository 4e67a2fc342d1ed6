import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Release } from "../../build/images/oci/image.ts";
import { parseRepository } from "../../build/images/oci/reference.ts";
import { pushRelease, type Whereabouts } from "../../build/images/registry/push-release.ts";
import { registryAccessOf } from "../../build/images/registry/registry-access.ts";
import { startRegistry } from "../../test/images/testing/docker-registry.ts";

/** Milliseconds that pushes take, to a registry on loopback. */
export interface PushTimes {
  /** The first function: base and Node go with it. */
  readonly first: number;
  /** One that comes after it in the same run: what they share is taken over. */
  readonly further: number;
  /** One that is there and has changed. */
  readonly changed: readonly number[];
  /** The same once more. */
  readonly unchanged: readonly number[];
}

/** Whether Debian's docker-registry is installed. */
export function hasRegistry(): boolean {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => existsSync(join(folder, "docker-registry")));
}

/**
 * Pushes two functions, and then one in the other's place over and over, which to a registry is a function that has
 * changed.
 */
export async function measurePushes([one, other]: readonly [Release, Release], rounds: number): Promise<PushTimes> {
  const registry = await startRegistry();
  try {
    const target = { repository: parseRepository(`${registry.host}/holdfast`), tag: "latest" };
    const access = registryAccessOf({}, true);
    // A run of its own, unless something is known of who has what: otherwise the registry has to say.
    const push = async (release: Release, whereabouts: Whereabouts = new Map()) => {
      const begun = performance.now();
      await pushRelease(release, target, access, whereabouts, () => {});
      return performance.now() - begun;
    };
    const whereabouts: Whereabouts = new Map();
    const first = await push(one, whereabouts);
    const further = await push(other, whereabouts);
    const changed: number[] = [];
    const unchanged: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const release = { ...other, name: `round-${round}` };
      await push({ ...one, name: release.name });
      changed.push(await push(release));
      unchanged.push(await push(release));
    }
    return { first, further, changed, unchanged };
  } finally {
    await registry.stop();
  }
}
