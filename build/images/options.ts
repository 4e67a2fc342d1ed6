import { fromHere } from "../../shared/command/from-here.ts";
import { parseFlags } from "../../shared/command/parse-flags.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Platform } from "./oci/descriptor.ts";
import { isTag, parseRepository, type Repository } from "./oci/reference.ts";
import { platforms as known } from "./runtime/locked-node.ts";

/** How images are built, and how registries are talked to. */
export interface BuildOptions {
  readonly platforms: readonly Platform[];
  /** `oci:FOLDER[:TAG]` or a reference; absent: the pinned one. */
  readonly base?: string;
  /** Whether a bill of materials and a statement of provenance are attached. */
  readonly sbom: boolean;
  readonly insecure: boolean;
}

/** Where images go in a registry. */
export interface Target {
  /** Each function has a repository of its own beneath. */
  readonly repository: Repository;
  readonly tag: string;
}

/** Where images go. */
export type Destination = { readonly push: Target } | { readonly layout: string } | { readonly tarball: string };

/** What `npm run image` was asked for. */
export type ImageOptions =
  | { readonly task: "help" }
  | { readonly task: "update base"; readonly platforms: readonly Platform[]; readonly insecure: boolean }
  | {
      readonly task: "build";
      readonly functions: readonly string[];
      readonly build: BuildOptions;
      readonly destination: Destination;
    };

/** The flags that `npm run image` and `npm run resolve` share, for their help. */
export const buildHelp = `  --repo R             HOST/PATH: the image of a function goes to
                       R/<system>/<rule>; HOLDFAST_REPO in the environment says
                       the same
  --tag TAG            the tag to push (default: latest)
  --platform LIST      of ${known.join(", ")} (default: all of them)
  --base REF|oci:DIR   build upon another image than the one that
                       build/images/base/pinned.json names; oci:DIR[:TAG] is an
                       OCI layout on disk
  --sbom spdx|none     attach an SPDX bill of materials and a statement of
                       provenance, or do not (default: spdx)
  --insecure-registry  accept registries without TLS, and certificates of any
                       kind`;

export const help = `Builds an image per function, without a container engine, and the same bytes
every time.

  npm run image -- [FUNCTION...]
      (--repo R --push | --oci-layout DIR | --tarball FILE)

FUNCTION is <system>/<rule>; without one, all are built.

  --push               to a registry, with the credentials of docker or podman
                       login
  --oci-layout DIR     to a folder
  --tarball FILE       to an archive of such a folder
${buildHelp}
  --update-base        instead: have build/images/base/pinned.json name what the
                       pinned image's tag is now
  --help               this text

Prints the name of each pushed image, with its digest, on standard output.
`;

export const buildFlags = {
  repo: { type: "string" },
  tag: { type: "string" },
  platform: { type: "string" },
  base: { type: "string" },
  sbom: { type: "string" },
  "insecure-registry": { type: "boolean" },
} as const;

/** @throws UserError naming the flag at fault; `functions` are all there are */
export function readImageOptions(
  args: readonly string[],
  functions: readonly string[],
  environment: NodeJS.ProcessEnv,
): ImageOptions {
  const { values, positionals } = parseFlags("npm run image", {
    args: [...args],
    options: {
      ...buildFlags,
      push: { type: "boolean" },
      "oci-layout": { type: "string" },
      tarball: { type: "string" },
      "update-base": { type: "boolean" },
      help: { type: "boolean" },
    },
    allowPositionals: true,
  });
  if (values.help) return { task: "help" };
  if (values["update-base"]) {
    const { platforms, insecure } = readBuildOptions(values);
    return { task: "update base", platforms, insecure };
  }
  const unknown = positionals.filter((name) => !functions.includes(name));
  if (unknown.length > 0)
    throw new UserError(`There is no function ${unknown.join(", ")}. There are: ${functions.join(", ")}.`);
  const { push, "oci-layout": layout, tarball } = values;
  const [destination, ...more] = [
    ...(push ? [{ push: readTarget(values, environment) }] : []),
    ...(layout === undefined ? [] : [{ layout: fromHere(layout) }]),
    ...(tarball === undefined ? [] : [{ tarball: fromHere(tarball) }]),
  ];
  if (!destination || more.length > 0)
    throw new UserError("Say where the images go: one of --push, --oci-layout DIR and --tarball FILE.");
  const asked = positionals.length > 0 ? functions.filter((name) => positionals.includes(name)) : functions;
  return { task: "build", functions: asked, build: readBuildOptions(values), destination };
}

interface BuildValues {
  readonly repo?: string | undefined;
  readonly tag?: string | undefined;
  readonly platform?: string | undefined;
  readonly base?: string | undefined;
  readonly sbom?: string | undefined;
  readonly "insecure-registry"?: boolean | undefined;
}

/** @throws UserError naming the flag at fault */
export function readBuildOptions(values: BuildValues): BuildOptions {
  const { platform = known.join(","), base, sbom = "spdx" } = values;
  if (sbom !== "spdx" && sbom !== "none") throw new UserError(`--sbom is spdx or none, not ${JSON.stringify(sbom)}.`);
  const platforms = [...new Set(platform.split(","))].map(readPlatform);
  const insecure = values["insecure-registry"] ?? false;
  return { platforms, sbom: sbom === "spdx", insecure, ...(base === undefined ? {} : { base: baseAt(base) }) };
}

const baseAt = (base: string) => (base.startsWith("oci:") ? `oci:${fromHere(base.slice(4))}` : base);

/** @throws UserError when no repository is named, or none that can be */
export function readTarget({ repo, tag = "latest" }: BuildValues, environment: NodeJS.ProcessEnv): Target {
  const name = repo ?? environment.HOLDFAST_REPO;
  if (!name) throw new UserError("Say where to push to: --repo HOST/PATH, or HOLDFAST_REPO in the environment.");
  if (!isTag(tag)) throw new UserError(`--tag takes what a registry takes as a tag, not ${JSON.stringify(tag)}.`);
  return { repository: parseRepository(name.replace(/\/$/, "")), tag };
}

function readPlatform(text: string): Platform {
  const [os = "", architecture = "", variant] = text.split("/");
  if (!known.includes(`${os}/${architecture}`))
    throw new UserError(`--platform takes ${known.join(", ")}, with commas between, not ${JSON.stringify(text)}.`);
  return { os, architecture, ...(variant ? { variant } : {}) };
}
