import { globSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../manifests/kustomization.ts";

/** Every system that an administrator may choose: those of which there is a folder of roles. */
const systems = globSync("*", { cwd: join(root, "knative/access") })
  .filter((system) => system !== "platform")
  .sort();

/**
 * What may be installed without the rest: each system by itself, each two of those that need nothing else, and the two
 * that share a broker which the default makes no use of.
 */
export const chosen: readonly (readonly string[])[] = [
  ...systems.map((system) => [system]),
  ["pvc-protection", "pvc-retention"],
  ["pvc-retention", "undelete"],
  ["undelete", "volume"],
  ["eviction", "satellite"],
];

/** The overlay of these systems alone, as docs/one-system.md has it. */
export const overlayOf = (systems: readonly string[]) => ({
  resources: ["knative/overlays/platform"],
  components: systems.flatMap((system) => [`knative/access/${system}`, `knative/${system}`]),
});
