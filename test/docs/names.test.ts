import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createProgram } from "../../cli/program.ts";
import { root } from "../manifests/kustomization.ts";
import { type NamedThing, namesIn } from "./names.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

// The changelog also names what was removed.
const documents = globSync(["{README,CONTRIBUTING,SECURITY}.md", "{docs,functions,knative,sources,eventing}/**/*.md"], {
  cwd: root,
});

/** All that is not prose: what a name in a document can be found in. */
const sources = globSync(["{functions,shared,cli,console,eventing,local,build,bench}/**/*.{ts,tsx,mjs}", ".ci/run"], {
  cwd: root,
  exclude: ["**/*.test.ts"],
})
  .concat(
    globSync("{{knative,sources,test}/**/*.{yaml,py,sls,conf},test/{cluster,con*,man*}/**/*.ts,vitest.config.ts}", {
      cwd: root,
    }),
  )
  // What OpenTelemetry reads from the environment of a function.
  .concat(
    globSync("node_modules/@opentelemetry/{sdk-node,core,otlp-exporter-base,exporter-*}/dist/**/*.mjs", { cwd: root }),
  )
  .map(read)
  .join("\n");
const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
const commands = readdirSync(join(root, "cli")).filter((name) => existsSync(join(root, "cli", name, "command.ts")));
const folders = [
  "overlays",
  "components",
  "examples",
  "overlays/no-knative",
  ".",
  ...readdirSync(join(root, "knative")),
];

const exists: Readonly<Record<NamedThing["what"], (name: string) => boolean>> = {
  annotation: (name) => sources.includes(name),
  variable: (name) => sources.includes(name) || sources.includes(camel(name)),
  "npm script": (name) => name in scripts,
  command: (name) => commands.includes(name),
  "folder of knative": (name) => folders.some((folder) => existsSync(join(root, "knative", folder, name))),
  function: (name) => existsSync(join(root, "functions", name)) || existsSync(join(root, "knative", name)),
  path: (name) => ["", "knative"].some((folder) => existsSync(join(root, folder, name))),
  // Or a reader writes it, as another page says.
  kustomization: (name) => existsSync(join(root, name)) || written.includes(`${name}/kustomization.yaml`),
  flag: (name) => hasFlag(name.split(" ")),
  Event: (name) => sources.includes(`"${name}"`) || /(Unreachable|Unauthorized|Refused)$/.test(name),
};

const written = documents.map(read).join("\n");
const program = createProgram();

/** Whether a command of the program declares the flag, or the help of an npm script names it. */
function hasFlag([runner = "", name = "", flag = ""]: readonly string[]): boolean {
  if (["--help", "-h"].includes(flag)) return true;
  if (runner === "holdfast") {
    const options = program.commands.find((command) => command.name() === name)?.options ?? [];
    return options.some(({ long, short }) => [long, short].includes(flag));
  }
  const [, file] =
    /^node .*?([\w/-]+\.ts)(?: |$)/.exec(scripts[name]?.replace("./build/needs-node-24.mjs", "") ?? "") ?? [];
  // Others hand their flags on to Vitest.
  if (!file) return true;
  const helps = globSync("**/*.ts", { cwd: join(root, dirname(file)), exclude: ["**/*.test.ts"] });
  return helps.some((help) => new RegExp(`${flag}(?![\\w-])`).test(read(join(dirname(file), help))));
}

/** A setting is declared in lower camel case. */
const camel = (name: string) =>
  name.toLowerCase().replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const missingIn = (text: string) =>
  namesIn(text)
    .filter(({ what, name }) => !exists[what](name))
    .map(({ what, name }) => `${what} ${name}`);

test("what documents name is there: annotations, variables, commands, flags, overlays, functions, Events", () => {
  const missing = documents.flatMap((document) => missingIn(read(document)).map((name) => `${document}: ${name}`));
  expect(documents.length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

test("a name of each kind that is not there is found", () => {
  const text =
    "`holdfast.dev/no-such-thing`, `NO_SUCH_VARIABLE`, `npm run nothing`, `holdfast nothing`, the component " +
    "`owner-references-enforced`, `undelete/nothing` and the Event `NothingHappened`";
  expect(missingIn(text).map((name) => name.split(" ").at(-1))).toEqual([
    "holdfast.dev/no-such-thing",
    "NO_SUCH_VARIABLE",
    "nothing",
    "nothing",
    "owner-references-enforced",
    "undelete/nothing",
    "NothingHappened",
  ]);
});

test("a path that is not there is found: in a sentence, in an overlay, and behind -k", () => {
  const text = [
    "`knative/overlays/gone`, `components/gone` and `overlays/no-knative/SYSTEM`",
    "```yaml\n  - ../../knative/access/gone\n  - ../knative/access/undelete\n```",
    "`kubectl apply -k knative/gone`, `kubectl diff -k gone` and `kubectl apply -k my-overlay`",
  ].join("\n\n");
  expect(missingIn(text)).toEqual([
    "path knative/overlays/gone",
    "path knative/access/gone",
    "path knative/gone",
    "path components/gone",
    "kustomization knative/gone",
    "kustomization gone",
  ]);
});

test("a flag that its command does not know is found: in a block, and in a sentence that goes on in a new line", () => {
  const text = [
    "```sh\nnpm run --silent holdfast -- status -o wide --gone   # --not-a-flag",
    "npm run --silent resolve -- -k my-overlay \\\n  --gone > holdfast.yaml",
    "npm run apply -- --repo r -- --server-side\n```",
    "`npm run\nholdfast -- uninstall satellite --gone`, `kubectl holdfast explain pvc/data -x`",
    "`holdfast try --as-if f`",
  ].join("\n");
  expect(missingIn(text)).toEqual([
    "flag holdfast status --gone",
    "flag npm resolve --gone",
    "flag holdfast uninstall --gone",
    "flag holdfast explain -x",
  ]);
});
