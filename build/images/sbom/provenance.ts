import type { Base } from "../base/base.ts";
import { type Descriptor, platformName } from "../oci/descriptor.ts";
import type { LockedPackage } from "../runtime/npm-package.ts";
import { type BundledPackage, npmUrl, sha512Of } from "./bundled-packages.ts";

/** What a statement of provenance is about. */
export interface Origin {
  /** `<system>/<rule>`. */
  readonly name: string;
  readonly index: Descriptor;
  readonly images: readonly Descriptor[];
  readonly base: Pick<Base, "name" | "digest">;
  readonly nodes: readonly LockedPackage[];
  readonly packages: readonly BundledPackage[];
  /** Files of the repository by path, with the sha256 of each in hexadecimal digits. */
  readonly sources: ReadonlyMap<string, string>;
  /** The platforms whose images have a code cache: those whose Node the builder's machine could run. */
  readonly cached: readonly string[];
  /** By what was built, as name and version. */
  readonly tools: Readonly<Record<string, string>>;
}

/** What kind of build it was: docs/images.md says what the parameters mean. */
const buildType = "https://holdfast.dev/image/v1";

/**
 * Where an image is from, as an in-toto statement with SLSA's predicate for provenance. It names every source by its
 * hash and no time and no machine, because none of those is in the image: who builds from the same sources gets the
 * same image, and the same statement.
 */
export function provenanceOf({ name, index, images, base, nodes, packages, sources, cached, tools }: Origin): object {
  const sha256 = ({ digest }: { digest: string }) => ({ sha256: digest.replace("sha256:", "") });
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [index, ...images].map(({ platform, digest }) => ({
      name: platform ? `${name} (${platformName(platform)})` : name,
      digest: sha256({ digest }),
    })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType,
        externalParameters: {
          function: name,
          platforms: images.flatMap(({ platform }) => (platform ? [platformName(platform)] : [])),
          base: base.name,
        },
        internalParameters: { codeCacheFor: cached },
        resolvedDependencies: [
          { name: base.name, digest: sha256(base), annotations: { role: "base" } },
          ...nodes.map((node) => dependency(node, "runtime")),
          ...packages.map((each) => dependency(each, "bundled")),
          ...[...sources].map(([path, hash]) => ({
            name: path,
            digest: { sha256: hash },
            annotations: { role: "source" },
          })),
        ],
      },
      runDetails: { builder: { id: "https://holdfast.dev/image/builder", version: tools } },
    },
  };
}

function dependency(each: BundledPackage | LockedPackage, role: string): object {
  const digest = each.integrity ? { digest: { sha512: sha512Of(each.integrity) } } : {};
  return { uri: npmUrl(each), ...digest, annotations: { role } };
}
