import { UserError } from "../../../shared/command/user-error.ts";
import { parseReference } from "../oci/reference.ts";
import type { BuildOptions } from "../options.ts";
import type { RegistryAccess } from "../registry/registry.ts";
import type { Base } from "./base.ts";
import { baseFromLayout } from "./from-layout.ts";
import { baseFromRegistry } from "./from-registry.ts";
import { readPinned } from "./pinned.ts";

/** The base that was asked for, or the pinned one. @throws UserError */
export async function baseOf({ base, platforms }: BuildOptions, cache: string, access: RegistryAccess): Promise<Base> {
  if (base?.startsWith("oci:")) return baseFromLayout(base.slice("oci:".length), platforms);
  if (base) return baseFromRegistry(parseReference(base), platforms, cache, access);
  const { image, digest } = await readPinned();
  try {
    return await baseFromRegistry(parseReference(`${image}@${digest}`), platforms, cache, access);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `Images need a base, and the pinned one cannot be had. ${error.message} --base takes another: ` +
        "a reference, or oci:DIR for one on disk.",
      { cause: error },
    );
  }
}
