import { readFile, writeFile } from "node:fs/promises";
import type { Platform } from "../oci/descriptor.ts";
import { parseReference } from "../oci/reference.ts";
import type { RegistryAccess } from "../registry/registry.ts";
import { baseFromRegistry } from "./from-registry.ts";

/** The image that all functions are built upon unless another is asked for. */
export interface Pinned {
  /** Why this one. */
  readonly message: string;
  /** With a tag, which `npm run image -- --update-base` follows. */
  readonly image: string;
  readonly digest: string;
}

const file = new URL("pinned.json", import.meta.url);

/** Reads the pin. */
export async function readPinned(from: URL = file): Promise<Pinned> {
  return JSON.parse(await readFile(from, "utf8")) as Pinned;
}

/**
 * Makes the pin name what the tag does now. Returns the pin before and after. What is read of the image is kept in
 * `cache`.
 *
 * @throws UserError when it cannot be had, or has no image for one of `platforms`; the pin stays as it is, then
 */
export async function updatePinned(
  platforms: readonly Platform[],
  cache: string,
  access: RegistryAccess,
  pin: URL = file,
): Promise<{ before: Pinned; after: Pinned }> {
  const before = await readPinned(pin);
  const { digest } = await baseFromRegistry(parseReference(before.image), platforms, cache, access);
  const after = { ...before, digest };
  await writeFile(pin, `${JSON.stringify(after, null, 2)}\n`);
  return { before, after };
}
