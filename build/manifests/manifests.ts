import { posix } from "node:path";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { slug } from "../../shared/rule.ts";
import type { SystemDeclaration } from "../../shared/system-declaration.ts";
import { accessOf, furtherAccessOf, grantsOf } from "./access.ts";
import { addChangedNodes } from "./components/changed-nodes.ts";
import { addKafka } from "./components/kafka.ts";
import { addMendChannels } from "./components/mend-channels.ts";
import { addNetworkPolicy, deadLetterPolicy } from "./components/network-policy.ts";
import { addNoKnative, addSystemsWithoutKnative } from "./components/no-knative.ts";
import { addOidc } from "./components/oidc.ts";
import { addSourceFilters } from "./components/source-filters.ts";
import { type Declared, originOf, systemOf } from "./declared.ts";
import { commonSettings } from "./environment.ts";
import { everyFunction, kustomizationFile, type Patch } from "./kustomization.ts";
import { deadLetterFunction, labelsOf } from "./metadata.ts";
import { addMonitoring } from "./monitoring/add-monitoring.ts";
import { addOptionalSystem } from "./optional-system.ts";
import { serviceOf } from "./service.ts";
import { kindsOfOverlay, sourceManifests, watchedKinds } from "./sources.ts";
import { sweepFunction, sweepSource, sweepTable, sweptSystems, systemTable } from "./sweep.ts";
import { type PlannedTrigger, triggerManifest, triggersOf } from "./triggers.ts";
import { writePolicyOf } from "./write-policy.ts";
import { toFile, toYaml } from "./yaml.ts";

/**
 * Every generated manifest, by its path in the repository. The same declarations give the same text.
 *
 * - `knative/<system>/settings.yaml`: what the functions of a system are set by together
 * - `knative/access/<system>/<function>.yaml`: identity and roles of a function, which must be there before its Service
 * - `knative/<system>/<function>.yaml`: Service and default Triggers of a function
 * - `knative/<system>/<option>/<option>.yaml`, `access.yaml`: a function that is an option by itself, and
 *   `knative/overlays/<option>`, the default with it
 * - `knative/<system>/<option>/triggers.yaml`, `access.yaml`: the Triggers of an option, and what it grants
 * - `knative/<system>/sweep-table.yaml`, `sources/sweep.yaml`: what the sweep looks for, and when
 * - `knative/platform/dead-letter-network-policy.yaml`: who may reach the function that takes dead-lettered events
 * - `sources/<family>.yaml`: where a broker's events come from
 * - `knative/access/<system>/definitions.yaml`, `platform.yaml`, `knative/<system>/source.yaml`: what a system that is
 *   not installed by default brings besides, and `knative/overlays/<system>`, the default with it
 * - a `kustomization.yaml` in each of these folders, a component for each system, its access and each option; in
 *   `knative/overlays/access` and `knative/overlays/functions` one for all of either, and in `knative/overlays/default`
 *   one for both
 * - `knative/components/<component>`, `knative/overlays/no-knative`: what follows from the functions in other
 *   installations
 * - `knative/monitoring`: alerts and a dashboard
 */
export function manifestsOf(
  declared: readonly Declared[],
  systems: ReadonlyMap<string, SystemDeclaration> = new Map(),
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const all = declared.filter(({ overlay }) => !overlay);
  const onRequest = declared.filter(({ overlay }) => overlay);
  // What the kustomization of an option says of it, by its folder.
  const abouts = new Map<string, string>();
  for (const one of onRequest) {
    addOnRequest(files, one);
    abouts.set(`knative/${systemOf(one)}/${one.overlay}`, one.doc);
  }
  const functions = installedByDefault(all, systems);
  for (const declared of all) addFunction(files, declared, all);
  for (const [system, members] of Map.groupBy(all, systemOf)) {
    const shared = commonSettings(system, members);
    if (shared) files.set(`knative/${system}/settings.yaml`, toFile(`functions/${system}/*`, [shared]));
  }
  for (const [system, members] of sweptSystems(all))
    files.set(
      `knative/${system}/sweep-table.yaml`,
      toFile(`functions/${system}/*`, [plain(systemTable(system, members))]),
    );
  addOptions(files, all, functions, abouts);
  const patches = new Map<string, readonly Patch[]>();
  for (const system of systems.values())
    if (system.optional) {
      const members = all.filter((one) => systemOf(one) === system.name);
      patches.set(`knative/${system.name}`, addOptionalSystem(files, system, members, functions));
    }
  for (const [family, kinds] of watchedKinds(functions))
    files.set(`sources/${family}.yaml`, toFile(everyFunction, sourceManifests(family, kinds).map(plain)));
  const sweep = functions.find(({ name }) => name === sweepFunction);
  if (sweep) {
    files.set(`knative/${sweepFunction}-table.yaml`, toFile(originOf(sweep), [plain(sweepTable(sweep))]));
    files.set("sources/sweep.yaml", toFile(originOf(sweep), [plain(sweepSource(sweep))]));
  }
  const deadLetter = functions.find(({ name }) => name === deadLetterFunction);
  if (deadLetter)
    files.set(
      `knative/${deadLetterFunction}-network-policy.yaml`,
      toFile(originOf(deadLetter), [deadLetterPolicy(deadLetterFunction)], aboutDeadLetterPolicy),
    );
  addKustomizations(files, systems, onRequest, patches, abouts);
  addMendChannels(files, functions);
  addChangedNodes(files, all);
  const optional = Map.groupBy(
    all.filter((one) => !functions.includes(one)),
    systemOf,
  );
  addKafka(files, all, functions);
  addSourceFilters(files, functions, optional);
  addOidc(files, all, optional);
  addNoKnative(files, all, functions);
  addSystemsWithoutKnative(files, functions, optional);
  addNetworkPolicy(files, all);
  addMonitoring(files, all);
  return files;
}

/** The functions of the systems that an admin need not ask for. */
export function installedByDefault(
  functions: readonly Declared[],
  systems: ReadonlyMap<string, SystemDeclaration>,
): readonly Declared[] {
  return functions.filter((declared) => !declared.overlay && !systems.get(systemOf(declared))?.optional);
}

const aboutDeadLetterPolicy =
  "Who may reach dead-letter, which records Events about objects that a sender names. This has an effect only if the " +
  "network plugin enforces NetworkPolicy. Holdfast does not rely on it: no Event repeats a text of the sender.";

const plain = (object: object) => toYaml(object);

const identityOf = (name: string) => ({ name: slug(name), labels: labelsOf(name) });

const deadLettersOf = (functions: readonly Declared[]) =>
  functions.find(({ name }) => name === deadLetterFunction)?.name;

function addFunction(files: Map<string, string>, declared: Declared, functions: readonly Declared[]): void {
  const { name, permissions } = declared;
  const triggers = triggersOf(declared).filter(({ overlay }) => !overlay);
  const origin = originOf(declared);
  const byDefault = permissions.filter(({ overlay }) => !overlay);
  files.set(
    `knative/access/${name}.yaml`,
    toFile(
      origin,
      [...accessOf(identityOf(name), grantsOf(declared, byDefault)), ...writePolicyOf(declared)].map(plain),
    ),
  );
  const documents = [
    serviceOf(declared),
    ...triggers.map((trigger) => plain(triggerManifest(trigger, deadLettersOf(functions)))),
  ];
  files.set(`knative/${name}.yaml`, toFile(origin, documents));
}

/** A function that is an option by itself: Service and identity in one folder. */
function addOnRequest(files: Map<string, string>, declared: Declared): void {
  const { name, overlay, permissions, anonymous = false } = declared;
  const grants = grantsOf(declared, permissions);
  const folder = `knative/${systemOf(declared)}/${overlay}`;
  const origin = originOf(declared);
  files.set(`${folder}/access.yaml`, toFile(origin, accessOf(identityOf(name), grants, { anonymous }).map(plain)));
  files.set(`${folder}/${overlay}.yaml`, toFile(origin, [serviceOf(declared)]));
}

/** The same option of several functions of a system is one. */
function addOptions(
  files: Map<string, string>,
  functions: readonly Declared[],
  byDefault: readonly Declared[],
  abouts: Map<string, string>,
): void {
  for (const [system, members] of Map.groupBy(functions, systemOf)) {
    const optional = members.flatMap(triggersOf).filter(({ overlay }) => overlay);
    for (const [option, triggers] of Map.groupBy(optional, ({ overlay }) => overlay)) {
      const documents = triggers.map((trigger) => plain(triggerManifest(trigger, deadLettersOf(functions))));
      files.set(`knative/${system}/${option}/triggers.yaml`, toFile(`functions/${system}/*`, documents));
      const watched = [...kindsOfOverlay(option as string, members, byDefault)];
      const sources = watched.flatMap(([family, kinds]) => sourceManifests(family, kinds, `${system}-${option}`));
      const served = sources.length > 0 ? [mustBeServed(watched.flatMap(([, kinds]) => kinds))] : [];
      abouts.set(`knative/${system}/${option}`, [furtherEvents(triggers), ...served].join(" "));
      if (sources.length > 0)
        files.set(
          `knative/${system}/${option}/source.yaml`,
          toFile(`functions/${system}/*`, sources.map(plain), served[0]),
        );
    }
    const grants = members.flatMap((declared) => declared.permissions.map((permission) => ({ declared, permission })));
    for (const [option, granted] of Map.groupBy(grants, ({ permission }) => permission.overlay)) {
      if (option === undefined) continue;
      const documents = [...Map.groupBy(granted, ({ declared }) => declared)].flatMap(([declared, of]) => {
        const permissions = of.map(({ permission }) => permission);
        return furtherAccessOf(identityOf(declared.name), option, grantsOf(declared, permissions)).map(plain);
      });
      files.set(`knative/${system}/${option}/access.yaml`, toFile(`functions/${system}/*`, documents));
    }
  }
}

/** Which events trigger which functions with an option, in a sentence. */
function furtherEvents(triggers: readonly PlannedTrigger[]): string {
  const events = triggers.flatMap(({ of, awaits }) =>
    awaits.map(({ kind, changes }) => ({ of, event: `${kind.kind} ${changes.join(" and ")}` })),
  );
  const said = [...Map.groupBy(events, ({ event }) => event)].map(
    ([event, all]) => `${event}, for ${[...new Set(all.map(({ of }) => of))].join(", ")}`,
  );
  return `More events trigger functions. ${said.join(". ")}.`;
}

/** What an administrator must know of sources of kinds that something else defines. */
function mustBeServed(kinds: readonly Kind[]): string {
  const names = kinds.map(({ plural, apiVersion }) => `${plural} of ${apiVersion}`).join(", ");
  const checks = [...new Set(kinds.map(({ apiVersion }) => `"kubectl get --raw /apis/${apiVersion}"`))].join(" and ");
  return (
    `The cluster must serve ${names} before this is installed: the adapter of a source whose kind is not served ends ` +
    `again and again, and the source is not Ready until it is. Check it first: ${checks}.`
  );
}

function addKustomizations(
  files: Map<string, string>,
  declared: ReadonlyMap<string, SystemDeclaration>,
  onRequest: readonly Declared[],
  patches: ReadonlyMap<string, readonly Patch[]>,
  abouts: ReadonlyMap<string, string>,
): void {
  const folders = Map.groupBy([...files.keys()], posix.dirname);
  for (const [folder, paths] of folders) {
    const resources = paths.map((path) => posix.basename(path)).sort();
    const kind = folder === "sources" ? "Kustomization" : "Component";
    const changes = patches.get(folder) ?? [];
    const parts = { resources, ...(changes.length > 0 ? { patches: changes } : {}) };
    files.set(`${folder}/kustomization.yaml`, kustomizationFile(kind, parts, abouts.get(folder)));
  }
  const isDefault = (folder: string) =>
    /^knative\/[^/]+$/.test(folder) && !declared.get(posix.basename(folder))?.optional;
  const systems = [...folders.keys()].filter(isDefault).sort();
  const overlay = (name: string, resources: readonly string[], components: readonly string[], about?: string) => {
    const home = `knative/overlays/${name}`;
    const relative = (paths: readonly string[]) => paths.map((path) => posix.relative(home, path));
    const parts = {
      resources: relative(resources),
      ...(components.length > 0 ? { components: relative(components) } : {}),
    };
    files.set(`${home}/kustomization.yaml`, kustomizationFile("Kustomization", parts, about));
  };
  overlay(
    "access",
    ["knative/namespace"],
    systems.map((folder) => folder.replace("knative/", "knative/access/")),
    "The first half of the default: the namespace, and the accounts and roles of the functions. For tools that check " +
      "everything before they apply anything, as Flux does: apply this first, then overlays/functions.",
  );
  overlay(
    "functions",
    ["knative/brokers", "sources"],
    systems,
    "The second half of the default: brokers, sources, functions and Triggers. Apply overlays/access first.",
  );
  overlay(
    "platform",
    ["knative/namespace", "knative/brokers", "sources"],
    ["knative/access/platform", "knative/platform"],
    "What every install has: the namespace, brokers and sources, the sweep, without which nothing happens that no " +
      "event asks for, and the function for events that no other takes. List it, and the systems that you want, each " +
      "with its access.",
  );
  overlay(
    "default",
    ["knative/overlays/access", "knative/overlays/functions"],
    [],
    "The systems that are installed by default, without their admission policies.",
  );
  for (const { name, doc, optional } of declared.values())
    if (optional) overlay(name, ["knative/overlays/default"], [`knative/access/${name}`, `knative/${name}`], doc);
  for (const one of onRequest) {
    const name = one.overlay as string;
    overlay(
      name,
      ["knative/overlays/default"],
      [`knative/${systemOf(one)}/${name}`],
      `The default, and ${one.name}. ${one.doc}`,
    );
  }
}
