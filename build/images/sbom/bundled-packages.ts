import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** An npm package that has given something to a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, as its author has declared it; absent where that is none. */
  readonly license?: string;
  /** Subresource Integrity of its archive, from the lock file. */
  readonly integrity?: string;
}

/** What a bundle was really made of: what was imported and then left out, because nothing uses it, is not in it. */
export interface Ingredients {
  readonly packages: readonly BundledPackage[];
  /** Files of the repository, relative to it. */
  readonly sources: readonly string[];
}

/** Reads from esbuild's account which files have bytes in the bundle, and from `root` whose they are. */
export async function ingredientsOf(metafile: Metafile, root: string): Promise<Ingredients> {
  const inside = new Set<string>();
  for (const { inputs } of Object.values(metafile.outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) if (bytesInOutput > 0) inside.add(path);
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as Lock;
  const folders = new Set([...inside].flatMap((path) => packageFolder(path) ?? []));
  const packages = await Promise.all([...folders].sort().map((folder) => readPackage(root, folder, lock)));
  // Files that are made up at bundling have the name of a plugin in front.
  const sources = [...inside].filter((path) => !path.includes("node_modules/") && !path.includes(":")).sort();
  return { packages, sources };
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string } | undefined>>;
}

/** `node_modules/a/node_modules/@b/c` of a file in it. */
function packageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

async function readPackage(root: string, folder: string, lock: Lock): Promise<BundledPackage> {
  const text = await readFile(join(root, folder, "package.json"), "utf8");
  const { name, version, license } = JSON.parse(text) as { name: string; version: string; license?: unknown };
  const integrity = lock.packages[folder]?.integrity;
  return {
    name,
    version,
    ...(isExpression(license) ? { license } : {}),
    ...(integrity ? { integrity } : {}),
  };
}

/** Whether it looks like an SPDX expression, and not like "SEE LICENSE IN ..." or a URL. */
function isExpression(license: unknown): license is string {
  return typeof license === "string" && /^[\w.+() -]+$/.test(license) && !/^(SEE|UNLICENSED)\b/.test(license);
}

/** The package URL of an npm package. */
export function npmUrl({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** The hash in a Subresource Integrity, in hexadecimal digits. */
export function sha512Of(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
}
