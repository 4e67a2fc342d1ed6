import { UserError } from "../../shared/command/user-error.ts";
import type { LockedPackage } from "../images/runtime/npm-package.ts";
import pinned from "./single-file-node.json" with { type: "json" };

/** What Node makes single files for by itself, as Node names it. */
export type SingleFilePlatform = keyof typeof pinned.platforms;

export const singleFilePlatforms = Object.keys(pinned.platforms) as readonly SingleFilePlatform[];

/** The Node in a single file. */
export const singleFileNode = (platform: SingleFilePlatform): LockedPackage => ({
  ...pinned.platforms[platform],
  version: pinned.version,
});

/** The Node that makes them, on Linux. @throws UserError where there is none for this processor */
export function builderNode(architecture: string): LockedPackage {
  const found = new Map(Object.entries(pinned.builders)).get(architecture);
  if (!found) throw new UserError(`There is no Node for linux-${architecture} that makes single files.`);
  return { ...found, version: pinned.version };
}

/** All of them, for who compares them with what Node's project has signed. */
export const pinnedNodes: readonly LockedPackage[] = [
  ...singleFilePlatforms.map(singleFileNode),
  ...Object.keys(pinned.builders).map(builderNode),
];
