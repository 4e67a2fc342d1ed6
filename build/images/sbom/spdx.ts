import type { Base } from "../base/base.ts";
import { type Descriptor, platformName } from "../oci/descriptor.ts";
import type { LockedPackage } from "../runtime/npm-package.ts";
import { type BundledPackage, npmUrl, sha512Of } from "./bundled-packages.ts";

/** What a bill of materials is about. */
export interface Bill {
  /** `<system>/<rule>`. */
  readonly name: string;
  /** The manifest of the image for one platform. */
  readonly image: Descriptor;
  readonly base: Pick<Base, "name" | "digest">;
  readonly node: LockedPackage;
  readonly packages: readonly BundledPackage[];
  /** As ISO 8601 has it. */
  readonly created: string;
}

const unknown = "NOASSERTION";

/**
 * What is in an image, as SPDX 2.3: the function, the npm packages in its bundle, and Node. The
 * maker of the base says what the base holds, so it is only referred to.
 */
export function spdxOf({ name, image, base, node, packages, created }: Bill): object {
  const nodes = [
    packageOf("image", { name: `holdfast/${name}`, version: image.digest, license: "Apache-2.0" }, [
      `pkg:oci/${name.split("/").at(-1)}@${encodeURIComponent(image.digest)}`,
    ]),
    packageOf("base", { name: base.name, version: base.digest }, [baseUrl(base)]),
    packageOf("function", { name, version: unknown, license: "Apache-2.0" }, []),
    packageOf("node", { ...node, name: "node", license: "MIT" }, [npmUrl(node), `pkg:generic/node@${node.version}`]),
    ...packages.map((each) => packageOf(idOf(each), each, [npmUrl(each)])),
  ];
  const relationships = [
    relationship("DOCUMENT", "DESCRIBES", "image"),
    relationship("image", "DESCENDANT_OF", "base"),
    relationship("image", "CONTAINS", "node"),
    relationship("image", "CONTAINS", "function"),
    ...packages.map((each) => relationship("function", "CONTAINS", idOf(each))),
  ];
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `holdfast/${name} for ${image.platform ? platformName(image.platform) : "any platform"}`,
    // No two documents may have the same; the same image has the same document.
    documentNamespace: `https://holdfast.dev/spdx/${name}/${image.digest.replace(":", "-")}`,
    creationInfo: { created: created.replace(/\.\d+Z$/, "Z"), creators: ["Tool: holdfast-image"] },
    packages: nodes,
    relationships,
  };
}

interface Named {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
}

function packageOf(id: string, { name, version, license, integrity }: Named, urls: readonly string[]): object {
  return {
    SPDXID: `SPDXRef-${id}`,
    name,
    ...(version === unknown ? {} : { versionInfo: version }),
    downloadLocation: unknown,
    filesAnalyzed: false,
    licenseConcluded: unknown,
    licenseDeclared: license ?? unknown,
    copyrightText: unknown,
    ...(integrity ? { checksums: [{ algorithm: "SHA512", checksumValue: sha512Of(integrity) }] } : {}),
    ...(urls.length > 0
      ? {
          externalRefs: urls.map((referenceLocator) => ({
            referenceCategory: "PACKAGE-MANAGER",
            referenceType: "purl",
            referenceLocator,
          })),
        }
      : {}),
  };
}

const relationship = (from: string, relationshipType: string, to: string) => ({
  spdxElementId: `SPDXRef-${from}`,
  relationshipType,
  relatedSpdxElement: `SPDXRef-${to}`,
});

/** Identifiers have letters, digits, dots and dashes only. */
const idOf = ({ name, version }: BundledPackage) => `npm-${name}-${version}`.replaceAll(/[^\w.-]|_/g, "-");

function baseUrl({ name, digest }: Bill["base"]): string {
  const repository = name.replace(/:[^/]*$/, "");
  const at = repository.includes("/") ? `?repository_url=${encodeURIComponent(repository)}` : "";
  return `pkg:oci/${repository.split("/").at(-1)}@${encodeURIComponent(digest)}${at}`;
}
