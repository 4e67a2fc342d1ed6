import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SystemDeclaration } from "../../shared/system-declaration.ts";
import { about, settingsByName } from "../release/chart/values.ts";
import { type Declared, systemOf } from "./declared.ts";
import { settingsConfigMap } from "./environment.ts";
import { adviceOf, advised } from "./event-advice.ts";
import { code, table } from "./markdown-table.ts";
import type { Tables } from "./reference.ts";
import { commonSettingsOf, settingsOf } from "./settings.ts";

const linkTo = ({ name }: Declared) => `[${name}](../functions/${name}/README.md)`;

/** What `docs/rules.md` says: all functions, with what they guarantee and what triggers them. */
export function ruleTables(functions: readonly Declared[]): Tables {
  const rows = functions.map((declared) => {
    const { doc, triggers = [], overlay } = declared;
    const always = triggers.filter((one) => !one.overlay);
    const kinds = always.map(({ kind, signal }) => (signal ? code(signal) : kind.kind));
    return [linkTo(declared), overlay ? `${doc} (overlay ${code(overlay)})` : doc, [...new Set(kinds)].join(", ")];
  });
  return { rules: table(["Rule", "What it guarantees", "Triggered by"], rows) };
}

/** What `docs/settings.md` says: each variable once for all functions that mean the same by it. */
export function settingTables(functions: readonly Declared[]): Tables {
  const found = functions.flatMap((declared) => [
    ...settingsOf(declared).map((setting) => ({ setting, where: linkTo(declared) })),
    ...commonSettingsOf([declared]).map((setting) => ({
      setting,
      where: `ConfigMap ${code(settingsConfigMap(systemOf(declared)))}`,
    })),
  ]);
  const alike = Map.groupBy(found, ({ setting: { variable, value, description } }) =>
    JSON.stringify([variable, value, description]),
  );
  const rows = [...alike.values()].flatMap((all) => {
    const [first] = all;
    if (!first) return [];
    const { variable, value, values, description } = first.setting;
    const places = [...new Set(all.map(({ where }) => where))];
    const where = places.length > 4 ? "every function" : places.join(", ");
    const choice = values ? ` One of ${values.map(code).join(", ")}.` : "";
    return [[code(variable), value ? code(value) : "empty", `${description}${choice}`, where]];
  });
  return { settings: table(["Variable", "Default", "Meaning", "Where"], rows.sort(byFirst)) };
}

/** A step of a rule, or a decision, that goes with an Event. */
const recorded =
  /\b(normal|warning)\(\s*"(\w+)"|type: "(Normal|Warning)", reason: "(\w+)"|(?:stuckReason:|\bwarning:) "(\w+)"|\bforget\(volume, "(\w+)"/g;

/**
 * What `docs/events.md` says: every reason that is in the code, with what to do.
 *
 * @throws Error for a reason without advice, and for advice without a reason.
 */
export function eventTables(): Tables {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const found = new Map<string, { type: string; systems: Set<string> }>();
  const add = (reason: string, type: string, system: string) => {
    const known = found.get(reason) ?? { type, systems: new Set<string>() };
    known.systems.add(system);
    found.set(reason, known);
  };
  const files = globSync("{functions,shared}/**/*.ts", { cwd: root, exclude: ["**/*.test.ts", "**/testing/**"] });
  const texts = files.map((file) => readFileSync(join(root, file), "utf8"));
  for (const [at, text] of texts.entries()) {
    const [folder, system = ""] = (files[at] ?? "").split(/[\\/]/);
    // What the kit records of an external system that is away.
    for (const [, name = ""] of text.matchAll(/new SystemError\(\s*"([^"]+)"/g))
      for (const failure of ["Unreachable", "Unauthorized", "Refused"])
        add(`${name.replaceAll(" ", "")}${failure}`, "Warning", system);
    for (const [, made, reason, type, other, bare, last] of text.matchAll(recorded))
      add(
        reason ?? other ?? bare ?? last ?? "",
        made ? made[0]?.toUpperCase() + made.slice(1) : (type ?? (last ? "Normal" : "Warning")),
        folder === "shared" ? "all" : system,
      );
  }
  for (const reason of ["TableRefused", "ListRefused", "BrokerRefused", "StaleSubscribers"])
    add(reason, "Warning", "platform");
  // Some decisions have their reason in a variable.
  for (const reason of advised.filter((one) => !found.has(one))) {
    const file = files[texts.findIndex((text) => text.includes(`"${reason}"`))];
    if (!file)
      throw new Error(`build/manifests/event-advice.ts has advice for the Event ${reason}, which nothing records.`);
    add(reason, "Warning", file.split(/[\\/]/)[1] ?? "");
  }
  const rows = [...found].map(([reason, { type, systems }]) => [
    code(reason),
    type,
    [...systems].sort().join(", "),
    adviceOf(reason),
  ]);
  return { events: table(["Reason", "Type", "System", "What it means, and what to do"], rows.sort(byFirst)) };
}

/**
 * What `docs/overlays.md` says: the first comment of each kustomization, which says what it is for. `paths` are sorted,
 * and others than kustomizations are left out; `read` returns the text of a file as it is to be.
 */
export function overlayTables(paths: readonly string[], read: (path: string) => string | undefined): Tables {
  const of = (pattern: RegExp) => {
    const rows = paths
      .filter((path) => pattern.test(path))
      .map((path) => {
        const folder = path.split("/").slice(1, -1).join("/");
        const text = read(path) ?? "";
        const comment = linked(commentOf(text));
        return [`[${folder}](../${path})`, comment || `Adds ${resourcesOf(text).map(code).join(", ")}.`];
      });
    return table(["Folder", "What it is for"], rows);
  };
  return {
    overlays: of(/^knative\/overlays\/[^/]+\/kustomization\.yaml$/),
    components: of(/^knative\/components\/[^/]+\/kustomization\.yaml$/),
    options: of(/^knative\/(?!overlays|components|examples|salt|access)[^/]+\/[^/]+\/kustomization\.yaml$/),
    examples: of(/^knative\/examples\/[^/]+\/kustomization\.yaml$/),
  };
}

/** What `docs/chart-values.md` says: what each value of the chart switches or sets. */
export function chartTables(
  functions: readonly Declared[],
  systems: ReadonlyMap<string, SystemDeclaration>,
  paths: readonly string[],
  read: (path: string) => string | undefined,
): Tables {
  const foldersOf = (pattern: RegExp) => paths.flatMap((path) => pattern.exec(path)?.[1] ?? []);
  const names = foldersOf(/^knative\/access\/([^/]+)\/kustomization\.yaml$/);
  const isDefault = (name: string) => !systems.get(name)?.optional;
  const aboutOf = (folder: string) => linked(commentOf(read(`knative/${folder}/kustomization.yaml`) ?? ""));
  const options = foldersOf(/^knative\/([^/]+\/[^/]+)\/kustomization\.yaml$/).filter((option) =>
    names.includes(option.split("/")[0] ?? ""),
  );
  const components = foldersOf(/^knative\/components\/([^/]+)\/kustomization\.yaml$/);
  const values = [
    ["namespace.create", "`true`", about.namespace],
    ["knative", "`true`", about.knative],
    ["systems", "the systems of the default", about.systems],
    ["options", "all off", about.options],
    ["components", "all off", about.components],
    ["image.repository", "that of the release", about.image],
    ["image.digests", "those of the release", "The digest of each image, by function."],
    ["settings", "the defaults", about.settings],
    ["resources", "as in the manifests", about.resources],
    ["telemetry", "off", about.telemetry],
    ["addresses.apiServer", "every address", about.addresses],
    ["addresses.salt", "every address", "The same of Salt."],
    ["filters", "none", about.filters],
  ];
  return {
    values: table(
      ["Value", "Default", "Meaning"],
      values.map(([name = "", ...others]) => [code(name), ...others]),
    ),
    systems: table(
      ["Value", "Default", "Meaning"],
      names
        .filter((name) => name !== "platform")
        .map((name) => {
          const rules = `[Its rules](../functions/${name}/README.md).`;
          const { doc = "" } = systems.get(name) ?? {};
          return [code(`systems.${name}`), code(String(isDefault(name))), `${linked(doc)} ${rules}`.trim()];
        }),
    ),
    options: table(
      ["Value", "Meaning"],
      options.map((option) => [code(`options.${option}`), aboutOf(option)]),
    ),
    components: table(
      ["Value", "Meaning"],
      components.map((name) => [code(`components.${name}`), aboutOf(`components/${name}`)]),
    ),
    settings: table(
      ["Value", "Variables"],
      [...settingsByName(functions)]
        .map(([name, all]) => [name, all.filter(({ variable }) => variable !== "LOG_LEVEL")] as const)
        .filter(([, all]) => all.length > 0)
        .map(([name, all]) => [code(`settings.${name}`), all.map(({ variable }) => code(variable)).join(", ")]),
    ),
  };
}

/** A text of a manifest names documents by their paths. */
const linked = (text: string) => text.replaceAll(/\bdocs\/([\w-]+)\.md\b/g, "[$1]($1.md)");

/** The first paragraph of a comment at the top, without the line that says that the file is generated. */
function commentOf(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    if (/^# Generated from /.test(line)) continue;
    const [, said] = /^# ?(.*)$/.exec(line) ?? [];
    if (said === undefined || (said === "" && lines.length > 0)) break;
    lines.push(said.trim());
  }
  return lines.join(" ");
}

/** Resources and components that a kustomization lists, by the names of their files and folders. */
const resourcesOf = (text: string): readonly string[] =>
  [...text.matchAll(/^ {2}- (?:\.\.\/)*(\S+)$/gm)].map(([, name = ""]) => name);

const byFirst = ([one = ""]: readonly string[], [other = ""]: readonly string[]) => (one < other ? -1 : 1);
