import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Base, BaseImage } from "./base/base.ts";
import { buildImage } from "./build-image.ts";
import { type Bundle, bundleFunction, keepBundle } from "./function/bundle-function.ts";
import { bakedLayer, canRun, plainLayer } from "./function/function-layer.ts";
import type { Layer } from "./layer/layer.ts";
import { platformName } from "./oci/descriptor.ts";
import { type Image, indexOf, type Release } from "./oci/image.ts";
import { lockedNode } from "./runtime/locked-node.ts";
import { type Runtime, runtimeOf } from "./runtime/runtime-layer.ts";
import { attachmentsOf } from "./sbom/attachments.ts";

/** What all functions of one run are built with. */
export interface Workshop {
  /** The repository. */
  readonly root: string;
  /** A folder for what need not be made twice, and for scratch. */
  readonly work: string;
  readonly base: Base;
  /** As ISO 8601 has it. Of images that are to be the same every time, it says nothing. */
  readonly created: string;
  readonly sbom: boolean;
  /** Says what is being done, for a person who waits. */
  readonly show: (line: string) => void;
  /** Says what its user must know. */
  readonly warn: (line: string) => void;
}

/**
 * Builds a function's images for every platform of the base. The bundle, with its source maps, is kept in `functions/`
 * of the work folder.
 */
export async function buildRelease(name: string, workshop: Workshop): Promise<Release> {
  // Another process may be building the same one.
  const own = join(workshop.work, "building", `${name.replaceAll("/", "-")}-${process.pid}`);
  workshop.show(`${name}: bundling`);
  try {
    const bundle = await bundleFunction(name, own);
    const release = await releaseOf(bundle, join(own, "baked"), workshop);
    await keepBundle(bundle, join(workshop.work, "functions"));
    return release;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function releaseOf(bundle: Bundle, scratch: string, workshop: Workshop): Promise<Release> {
  const { work, base, created, show, sbom } = workshop;
  const { name } = bundle;
  const annotations = annotationsOf(name, base);
  const built: { image: Image; runtime: Runtime; cached: boolean }[] = [];
  for (const image of base.images) {
    show(`${name}: ${platformName(image.platform)}`);
    const runtime = await runtimeOf(await lockedNode(workshop.root, image.platform), join(work, "runtime"));
    const { layer, cached } = await layerFor(bundle, image, runtime, scratch, workshop);
    built.push({ image: buildImage(image, [runtime.layer, layer], annotations, created), runtime, cached });
  }
  const images = built.map(({ image }) => image);
  const index = indexOf(images, annotations);
  return { name, index, images, attached: sbom ? await attachmentsOf({ bundle, index, built, ...workshop }) : [] };
}

async function layerFor(
  bundle: Bundle,
  { platform }: BaseImage,
  runtime: Runtime,
  scratch: string,
  { warn }: Workshop,
): Promise<{ readonly layer: Layer; readonly cached: boolean }> {
  if (!bundle.bakes || !canRun(platform)) return { layer: await plainLayer(bundle), cached: false };
  const { layer, fault } = await bakedLayer(bundle, runtime.program, scratch);
  if (fault) warn(`${bundle.name}: without a code cache, because it could not be run here: ${fault}`);
  return { layer, cached: fault === undefined };
}

/** Neither a version nor a commit: what did not change is to keep its digest. */
function annotationsOf(name: string, base: Base): Readonly<Record<string, string>> {
  return {
    "org.opencontainers.image.title": `holdfast/${name}`,
    "org.opencontainers.image.licenses": "Apache-2.0",
    "org.opencontainers.image.base.name": base.name,
    "org.opencontainers.image.base.digest": base.digest,
  };
}
