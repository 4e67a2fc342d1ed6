import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { version as esbuild } from "esbuild";
import type { Base } from "../base/base.ts";
import type { Bundle } from "../function/bundle-function.ts";
import { type Content, jsonContent } from "../oci/content.ts";
import { platformName } from "../oci/descriptor.ts";
import { attachment, type Image } from "../oci/image.ts";
import type { Runtime } from "../runtime/runtime-layer.ts";
import { ingredientsOf } from "./bundled-packages.ts";
import { provenanceOf } from "./provenance.ts";
import { spdxOf } from "./spdx.ts";

/** A function's images as they were just built. */
export interface Built {
  readonly bundle: Bundle;
  readonly index: Content;
  readonly built: readonly { readonly image: Image; readonly runtime: Runtime; readonly cached: boolean }[];
  readonly base: Base;
  readonly root: string;
  readonly created: string;
}

/** What tools look for when they ask for a bill of materials, or a statement. */
const spdxType = "application/spdx+json";
const statementType = "application/vnd.in-toto+json";

/** What is said of images: a bill of materials about each of them, and a statement of provenance about all. */
export async function attachmentsOf({ bundle, index, built, base, root, created }: Built): Promise<readonly Image[]> {
  const { name } = bundle;
  const { packages, sources } = await ingredientsOf(bundle.metafile, root);
  const bills = built.map(({ image: { manifest }, runtime: { node } }) => {
    const bill = spdxOf({ name, image: manifest.descriptor, base, node, packages, created });
    return attachment(manifest.descriptor, jsonContent(bill, spdxType), {});
  });
  const statement = provenanceOf({
    name,
    index: index.descriptor,
    images: built.map(({ image }) => image.manifest.descriptor),
    base,
    nodes: built.map(({ runtime }) => runtime.node),
    packages,
    sources: await hashesOf([...sources, "package-lock.json"], root),
    cached: built.flatMap(({ image: { manifest }, cached }) =>
      cached && manifest.descriptor.platform ? [platformName(manifest.descriptor.platform)] : [],
    ),
    tools: { esbuild, node: process.versions.node },
  });
  const annotations = { "in-toto.io/predicate-type": "https://slsa.dev/provenance/v1" };
  return [...bills, attachment(index.descriptor, jsonContent(statement, statementType), annotations)];
}

async function hashesOf(paths: readonly string[], root: string): Promise<ReadonlyMap<string, string>> {
  const hashes = paths.map(async (path) => {
    const bytes = await readFile(join(root, path));
    return [path, createHash("sha256").update(bytes).digest("hex")] as const;
  });
  return new Map(await Promise.all(hashes));
}
