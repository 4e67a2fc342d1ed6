import { existsSync } from "node:fs";
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

/** Which YAML is to be read. */
export interface SourceOptions {
  readonly files: readonly string[];
  readonly kustomization?: string;
  readonly recursive: boolean;
  readonly selector?: string;
}

/** What is only to be looked at. */
export interface CheckOptions extends SourceOptions {
  readonly check: true;
}

/** What `npm run resolve` or `npm run apply` was asked for. */
export interface ResolveOptions extends SourceOptions {
  readonly build: BuildOptions;
  readonly target: Target;
  /** For kubectl. */
  readonly rest: readonly string[];
}

/** What one of the two commands says beyond the other. */
const more = {
  apply: { usage: "\n      [-- KUBECTL FLAGS]", options: "" },
  resolve: {
    usage: "\n  npm run --silent resolve -- --check (-f PATH... | -k DIR)",
    options: "\n  --check              builds and prints nothing, and fails where fn:// is left",
  },
} as const;

/** The help of one of the two commands. */
export const helpOf = (command: "resolve" | "apply") => `${
  command === "resolve"
    ? "Prints YAML with the images of functions, by digest, in the places of\nfn://<system>/<rule>. " +
      "The images are built and pushed."
    : "Does what npm run resolve does, and gives the result to kubectl apply."
}

  npm run --silent ${command} -- (-f PATH... | -k DIR) --repo R${more[command].usage}

  -f, --filename PATH  a file, a folder, or - for standard input; of a folder
                       with a kustomization, what that names
  -R, --recursive      of other folders, also what is deeper
  -k, --kustomize DIR  what kubectl kustomize makes of a folder
  -l, --selector S     only objects with these labels${more[command].options}
${buildHelp}
  --help               this text
`;

/** Returns nothing when help is asked for. @throws UserError naming the flag at fault */
export function readResolveOptions(
  command: "resolve" | "apply",
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): ResolveOptions | CheckOptions | undefined {
  const end = args.indexOf("--");
  const [own, rest] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const { values } = parseFlags(`npm run ${command}`, {
    args: [...own],
    options: {
      ...buildFlags,
      filename: { type: "string", short: "f", multiple: true },
      recursive: { type: "boolean", short: "R" },
      kustomize: { type: "string", short: "k" },
      selector: { type: "string", short: "l" },
      ...(command === "resolve" ? { check: { type: "boolean" } } : {}),
      help: { type: "boolean" },
    },
  });
  if (values.help) return undefined;
  const { filename: files = [], kustomize: kustomization, selector, recursive = false } = values;
  if (files.length > 0 === (kustomization !== undefined))
    throw new UserError("Say what to read: -f PATH, as often as you like, or -k DIR.");
  if (command === "resolve" && rest.length > 0) throw new UserError("What stands after -- is for npm run apply.");
  const sources = {
    files: files.map((path) => (path === "-" ? path : fromHere(path))),
    recursive,
    ...(kustomization === undefined ? {} : { kustomization: kustomizationAt(kustomization) }),
    ...(selector === undefined ? {} : { selector }),
  };
  if (values.check) return { ...sources, check: true };
  return { ...sources, build: readBuildOptions(values), target: readTarget(values, environment), rest };
}

/** What is no folder here may be an address that kubectl understands. */
function kustomizationAt(path: string): string {
  const folder = fromHere(path);
  return existsSync(folder) ? folder : path;
}
