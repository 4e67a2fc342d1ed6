import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { linstor } from "../../functions/satellite/lib/linstor/system.ts";
import type { createClient } from "../../shared/kubernetes/client.ts";
import type { receive } from "../../shared/pipeline/receive.ts";
import type { Rule } from "../../shared/rule.ts";
import type { functions } from "../harness/functions.ts";

const root = join(import.meta.dirname, "../..");

/** What the last release before this one was built from: its tag, or the commit where a clone has no tags. */
const candidates = ["v0.1.0", "d13b893e9d4c750735096e96c0cc79aae8591bc5"];

/** The commit of the previous release; `undefined` where the clone does not have it, as a shallow one. */
export const previousCommit = candidates.find((name) => git("cat-file", "-e", `${name}^{commit}`) !== undefined);

/** What a release runs functions with. */
export interface Release {
  readonly rules: readonly Rule[];
  readonly receive: typeof receive;
  readonly createClient: typeof createClient;
  readonly linstor: typeof linstor;
  /** Starts an instance of each function, by its name. */
  readonly functions: typeof functions;
  /** The folder `knative/` of the release. */
  readonly manifests: string;
}

/**
 * Takes the previous release out of the history into a folder: its manifests lie beneath it as they did, and what is
 * returned is a bundle of its functions and of the kit that they stood on, with the packages that are installed now.
 */
export async function loadPrevious(folder: string): Promise<Release> {
  const archive = execFileSync(
    "git",
    ["archive", previousCommit as string, "functions", "shared", "knative", "sources"],
    {
      cwd: root,
      maxBuffer: 2 ** 28,
    },
  );
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const rules = globSync("functions/*/*/rule.ts", { cwd: folder }).sort();
  const contents = [
    ...rules.map((file, index) => `import * as rule${index} from "./${file}";`),
    `export const rules = [${rules.map((_, index) => `rule${index}`)}]`,
    "  .flatMap((module) => Object.values(module)).filter((value) => value?.triggers && value.decide);",
    'export { createClient } from "./shared/kubernetes/client.ts";',
    'export { linstor } from "./functions/satellite/lib/linstor/system.ts";',
    'import { receive } from "./shared/pipeline/receive.ts";',
    'import { readSettings } from "./shared/settings.ts";',
    'import { sweepFunction } from "./functions/platform/sweep/declaration.ts";',
    'import { onTick } from "./functions/platform/sweep/on-tick.ts";',
    'import { deadLetter } from "./functions/platform/dead-letter/declaration.ts";',
    'import { recordDeadLetters } from "./functions/platform/dead-letter/record.ts";',
    "export { receive };",
    "const started = (schema, start) => (options) =>",
    "  start({ ...options, settings: readSettings(schema, options.environment) }, options);",
    "export const functions = {",
    "  ...Object.fromEntries(rules.map((rule) => {",
    "    return [rule.name, started(rule.settings, (tools) => receive(rule, tools))];",
    "  })),",
    "  [sweepFunction.name]: started(sweepFunction.settings, (tools, { post, id }) => onTick(tools, post, id)),",
    "  [deadLetter.name]: started(deadLetter.settings, recordDeadLetters),",
    "};",
  ].join("\n");
  const outfile = join(folder, "previous.mjs");
  await build({
    stdin: { contents, resolveDir: folder, loader: "ts" },
    absWorkingDir: folder,
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return { ...(await import(pathToFileURL(outfile).href)), manifests: join(folder, "knative") } as Release;
}

function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}
