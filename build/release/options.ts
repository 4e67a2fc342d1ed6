import { fromHere } from "../../shared/command/from-here.ts";
import { parseFlags } from "../../shared/command/parse-flags.ts";
import { UserError } from "../../shared/command/user-error.ts";
import {
  type BuildOptions,
  buildFlags,
  buildHelp,
  readBuildOptions,
  readTarget,
  type Target,
} from "../images/options.ts";

/** What `npm run release` was asked for. */
export interface ReleaseOptions {
  /** The folder that is made. */
  readonly folder: string;
  /** Whether it is only tried: its notes then have the unreleased changes, too. */
  readonly isTrial: boolean;
  readonly build: BuildOptions;
  /** A file with names of images by digest, or where they are pushed to. */
  readonly images: { readonly file: string } | { readonly push: Target };
}

export const help = `Makes a release in dist/release: YAML with images by digest for each overlay, a
Helm chart, the command line, and what says what is in it and where it is from.

  npm run release -- (--images FILE | --repo R) [options]

  --images FILE        names of images with digests, one a line, as
                       "npm run image -- --repo R --push" has printed them
  --output DIR         instead of dist/release; what it holds is removed
  --trial              make it although CHANGELOG.md has unreleased changes: the
                       notes then begin with them

Without --images, all images are built and pushed:
${buildHelp}
  --help               this text

It needs kubectl. The files of the command line, one for each --platform, for
macOS and for Windows, are made on Linux only.
`;

/** Returns nothing when help is asked for. @throws UserError naming the flag at fault */
export function readReleaseOptions(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  usual: string,
): ReleaseOptions | undefined {
  const { values } = parseFlags("npm run release", {
    args: [...args],
    options: {
      ...buildFlags,
      images: { type: "string" },
      output: { type: "string" },
      trial: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return undefined;
  if (values.images !== undefined && values.repo !== undefined)
    throw new UserError("Say --images FILE, or --repo to have the images built and pushed, and not both.");
  const images =
    values.images === undefined ? { push: readTarget(values, environment) } : { file: fromHere(values.images) };
  const folder = values.output ? fromHere(values.output) : usual;
  return { folder, isTrial: values.trial ?? false, build: readBuildOptions(values), images };
}
