import { posix } from "node:path";
import { slug } from "../../shared/rule.ts";
import { accessOf, furtherAccessOf } from "./access.ts";
import { addKafka } from "./components/kafka.ts";
import { addNoKnative } from "./components/no-knative.ts";
import { addOidc } from "./components/oidc.ts";
import { addSourceFilters } from "./components/source-filters.ts";
import { type Declared, originOf } from "./declared.ts";
import { everyFunction, kustomizationFile } from "./kustomization.ts";
import { labelsOf } from "./metadata.ts";
import { serviceOf } from "./service.ts";
import { sourceManifests, watchedKinds } from "./sources.ts";
import { sweepFunction, sweepSource, sweepTable } from "./sweep.ts";
import { triggerManifest, triggersOf } from "./triggers.ts";
import { toFile, toYaml } from "./yaml.ts";

/** The function that takes what no other would: every Trigger names it, where it exists. */
const deadLetterFunction = "platform/dead-letter";

/**
 * Every generated manifest, by its path in the repository. The same declarations give the same text.
 *
 * - `knative/<system>/<function>.yaml`: identity, roles, Service and default Triggers of a function
 * - `knative/<system>/<option>/triggers.yaml`, `access.yaml`: the Triggers of an option, and what it grants
 * - `knative/platform/sweep-table.yaml`, `sources/sweep.yaml`: what the sweep looks for, and when
 * - `sources/<family>.yaml`: where a broker's events come from
 * - a `kustomization.yaml` in each of these folders, a component for each system and each option, and in
 *   `knative/overlays/default` one for all of them
 * - `knative/components/<component>`, `knative/overlays/no-knative`: what follows from the functions in other installations
 */
export function manifestsOf(functions: readonly Declared[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const declared of functions) addFunction(files, declared, functions);
  addOptions(files, functions);
  for (const [family, kinds] of watchedKinds(functions))
    files.set(`sources/${family}.yaml`, toFile(everyFunction, sourceManifests(family, kinds).map(plain)));
  const sweep = functions.find(({ name }) => name === sweepFunction);
  if (sweep) {
    files.set(`knative/${sweepFunction}-table.yaml`, toFile(everyFunction, [plain(sweepTable(sweep, functions))]));
    files.set("sources/sweep.yaml", toFile(originOf(sweep), [plain(sweepSource(sweep))]));
  }
  addKustomizations(files);
  addKafka(files, functions);
  addSourceFilters(files, functions);
  addOidc(files, functions);
  addNoKnative(files, functions);
  return files;
}

const plain = (object: object) => toYaml(object);

const identityOf = (name: string) => ({ name: slug(name), labels: labelsOf(name) });

const systemOf = ({ name }: Declared) => name.slice(0, name.indexOf("/"));

const deadLettersOf = (functions: readonly Declared[]) =>
  functions.find(({ name }) => name === deadLetterFunction)?.name;

function addFunction(files: Map<string, string>, declared: Declared, functions: readonly Declared[]): void {
  const { name, may } = declared;
  const triggers = triggersOf(declared).filter(({ overlay }) => !overlay);
  const documents = [
    ...accessOf(
      identityOf(name),
      may.filter(({ overlay }) => !overlay),
    ).map(plain),
    serviceOf(declared),
    ...triggers.map((trigger) => plain(triggerManifest(trigger, deadLettersOf(functions)))),
  ];
  files.set(`knative/${name}.yaml`, toFile(originOf(declared), documents));
}

/** The same option of several functions of a system is one. */
function addOptions(files: Map<string, string>, functions: readonly Declared[]): void {
  for (const [system, members] of Map.groupBy(functions, systemOf)) {
    const optional = members.flatMap(triggersOf).filter(({ overlay }) => overlay);
    for (const [option, triggers] of Map.groupBy(optional, ({ overlay }) => overlay)) {
      const documents = triggers.map((trigger) => plain(triggerManifest(trigger, deadLettersOf(functions))));
      files.set(`knative/${system}/${option}/triggers.yaml`, toFile(`functions/${system}/*`, documents));
    }
    const grants = members.flatMap(({ name, may }) => may.map((grant) => ({ name, ...grant })));
    for (const [option, granted] of Map.groupBy(grants, ({ overlay }) => overlay)) {
      if (option === undefined) continue;
      const byFunction = [...Map.groupBy(granted, ({ name }) => name)];
      const documents = byFunction.flatMap(([name, may]) => furtherAccessOf(identityOf(name), option, may).map(plain));
      files.set(`knative/${system}/${option}/access.yaml`, toFile(`functions/${system}/*`, documents));
    }
  }
}

function addKustomizations(files: Map<string, string>): void {
  const folders = Map.groupBy([...files.keys()], posix.dirname);
  for (const [folder, paths] of folders) {
    const resources = paths.map((path) => posix.basename(path)).sort();
    const kind = folder === "sources" ? "Kustomization" : "Component";
    files.set(`${folder}/kustomization.yaml`, kustomizationFile(kind, { resources }));
  }
  const home = "knative/overlays/default";
  const systems = [...folders.keys()].filter((folder) => /^knative\/[^/]+$/.test(folder)).sort();
  const relative = (paths: readonly string[]) => paths.map((path) => posix.relative(home, path));
  const everything = {
    resources: relative(["knative/brokers", "sources"]),
    components: relative(systems),
  };
  files.set(`${home}/kustomization.yaml`, kustomizationFile("Kustomization", everything));
}
