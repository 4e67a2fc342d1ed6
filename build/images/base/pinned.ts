import { readFile, writeFile } from "node:fs/promises";
import { parseReference } from "../oci/reference.ts";
import { connect, type Surroundings } from "../registry/registry.ts";
import { findRoot } from "./from-registry.ts";

/** The image that all functions are built upon unless another is asked for. */
export interface Pinned {
  /** Why this one. */
  readonly because: string;
  /** With a tag, which `npm run image -- --update-base` follows. */
  readonly image: string;
  readonly digest: string;
}

const file = new URL("pinned.json", import.meta.url);

/** Reads the pin. */
export async function readPinned(): Promise<Pinned> {
  return JSON.parse(await readFile(file, "utf8")) as Pinned;
}

/** Makes the pin name what the tag does now. Answers the pin before and after. @throws Complaint */
export async function updatePinned(surroundings: Surroundings): Promise<{ before: Pinned; after: Pinned }> {
  const before = await readPinned();
  const { tag = "latest", ...repository } = parseReference(before.image);
  const { descriptor } = await findRoot(await connect(repository, "pull", surroundings), tag);
  const after = { ...before, digest: descriptor.digest };
  await writeFile(file, `${JSON.stringify(after, null, 2)}\n`);
  return { before, after };
}
