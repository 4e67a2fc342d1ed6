import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { mapConcurrently } from "../../../shared/map-concurrently.ts";
import { sameJson } from "../../../shared/same-json.ts";
import { type Condition, holds, type Literal, off, on, wordOf } from "./condition.ts";
import { type Choices, installation } from "./installations.ts";
import { type Tree, type TreeMap, vary } from "./tree.ts";

/** An object of the chart, and when it is there. */
export interface ChartDocument {
  readonly key: string;
  when: Condition;
  tree: TreeMap;
}

/** What the chart consists of. */
export interface Documents {
  readonly documents: readonly ChartDocument[];
  /** Options and components that change what only Knative has. */
  readonly needKnative: readonly string[];
}

type Objects = ReadonlyMap<string, KubernetesObject>;

const keyOf = ({ apiVersion, kind, metadata: { namespace = "", name } }: KubernetesObject) =>
  `${apiVersion.split("/").slice(0, -1).join()} ${kind} ${namespace}/${name}`;

/** What must be there before a component makes sense. */
const needs: Readonly<Record<string, readonly string[]>> = { "kafka-ordered": ["kafka"] };

/** The components that a component needs. */
export const neededBy = (component: string): readonly string[] => needs[component] ?? [];

/** The system of an option; `undefined` for the platform's, which is always there. */
export function systemOfOption(option: string): string | undefined {
  const [system] = option.split("/");
  return system === "platform" ? undefined : system;
}

/**
 * Every object that any installation has, with the values on which it and its parts depend: found by having kustomize
 * build each choice by itself, and comparing.
 *
 * @throws UserError
 */
export async function documentsOf(root: string, choices: Choices): Promise<Documents> {
  const { systems, options, components, parts } = choices;
  const documents: ChartDocument[] = [];
  const needKnative: string[] = [];
  const build = async (resource: string, folders: readonly string[] = []): Promise<Objects> =>
    new Map((await installation(root, resource, folders)).map((object) => [keyOf(object), object]));
  const platform = "overlays/platform";
  const foldersOf = (names: readonly string[]) => names.flatMap((system) => [`access/${system}`, system]);
  const systemsOf = (option: string) => [systemOfOption(option) ?? []].flat();

  const bare = await build(platform);
  take(documents, new Map(), bare, [], []);
  const alone = await mapConcurrently(systems, (system) => build(platform, foldersOf([system])));
  for (const [index, system] of systems.entries())
    take(documents, bare, alone[index] as Objects, [on("systems", system)], []);

  const withOption = await mapConcurrently(options, (option) =>
    build(platform, [...foldersOf(systemsOf(option)), option]),
  );
  for (const [index, option] of options.entries()) {
    const [system] = systemsOf(option);
    const before = system ? (alone[systems.indexOf(system)] as Objects) : bare;
    take(
      documents,
      before,
      withOption[index] as Objects,
      [on("options", option)],
      systemsOf(option).map(systemLiteral),
    );
    noteKnative(option, before, withOption[index] as Objects);
  }

  // kustomize takes no two that bring the same object: a system that comes second has a look of its own.
  const apart = sharing(documents);
  const isTogether = (system: string | undefined) => !system || !apart.includes(system);
  await takeComponents(
    systems.filter(isTogether),
    options.filter((option) => isTogether(systemOfOption(option))),
  );
  for (const system of apart) {
    const own = options.filter((option) => systemOfOption(option) === system);
    await takeComponents([system], own, keysOf(documents, [system, ...own]));
  }
  await addNoKnative(documents, choices, build);
  return { documents, needKnative };

  /** Takes in what components make of these choices; `keys` are the only objects that are of interest. */
  async function takeComponents(
    ofSystems: readonly string[],
    ofOptions: readonly string[],
    keys?: ReadonlySet<string>,
  ): Promise<void> {
    const all = [...foldersOf(ofSystems), ...ofOptions];
    const context = [...ofSystems.map(systemLiteral), ...ofOptions.map((option) => on("options", option))];
    const known = new Set(documents.map(({ key }) => key));
    const isWanted = (key: string) => !keys || keys.has(key) || !known.has(key);
    const only = (objects: Objects) => new Map([...objects].filter(([key]) => isWanted(key)));
    for (const component of components) {
      const needed = neededBy(component);
      const below = [...all, ...needed.map((name) => `components/${name}`)];
      const beneath = [...context, ...needed.map((name) => on("components", name))];
      const above = [...below, `components/${component}`];
      const literal = on("components", component);
      const [before, after] = await Promise.all([build(platform, below), build(platform, above)]);
      take(documents, only(before), only(after), [literal], beneath);
      if (!keys) noteKnative(component, before, after);
      const named = [...ofSystems, ...ofOptions.map((option) => option.split("/")[1])];
      // One on top of the other: with the choice for which it is, a component is not whole without its part.
      const wanted = (parts.get(component) ?? []).filter((part) => named.includes(part));
      const steps = wanted.map((_, index) =>
        wanted.slice(0, index + 1).map((part) => `components/${component}/${part}`),
      );
      const built = [after, ...(await mapConcurrently(steps, (folders) => build(platform, [...above, ...folders])))];
      for (const [index, part] of wanted.entries()) {
        const when = [literal, literalOf(part, choices)];
        take(documents, built[index] as Objects, built[index + 1] as Objects, when, [...beneath, literal]);
      }
    }
  }

  function noteKnative(name: string, before: Objects, after: Objects): void {
    const [, option = name] = name.split("/");
    const changed = [...after].filter(([key, object]) => !sameJson(before.get(key) ?? null, object));
    const replaced = parts.get("no-knative")?.includes(option) ?? false;
    if (!replaced && changed.some(([key]) => /^\S*\.knative\.dev /.test(key))) needKnative.push(name);
  }
}

const knative = ["knative"];
const systemLiteral = (system: string) => on("systems", system);

/**
 * Takes in how `after` differs from `before`, where `when` holds besides `context`: what there is with Knative, unless
 * it says otherwise.
 */
function take(
  documents: ChartDocument[],
  before: Objects,
  after: Objects,
  when: Condition,
  context: readonly Literal[],
): void {
  const enabled = new Set([on(...knative), ...context].filter(({ on }) => on).map(({ path }) => wordOf(path)));
  for (const { path } of context.filter(({ on }) => !on)) enabled.delete(wordOf(path));
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, young] = [before.get(key), after.get(key)];
    if (old && young && sameJson(old, young)) continue;
    if (!old) {
      documents.push({ key, when: [...when, ...withoutOthers(documents, key, young)], tree: young as never });
      continue;
    }
    const document = documents.find((one) => one.key === key && holds(one.when, enabled));
    if (!document)
      throw new Error(`${when.map(({ path }) => wordOf(path)).join()} changes ${key}, which is not there.`);
    if (young) document.tree = vary(document.tree, asTree(old), asTree(young), when, enabled) as TreeMap;
    // Of what two conditions take away, only the one is met here.
    else if (when.length === 1) document.when = [...document.when, ...when.map(({ path, on }) => ({ path, on: !on }))];
    else throw new Error(`${when.map(({ path }) => wordOf(path)).join()} takes ${key} away, and together only.`);
  }
}

async function addNoKnative(
  documents: ChartDocument[],
  choices: Choices,
  build: (resource: string, folders?: readonly string[]) => Promise<Objects>,
): Promise<void> {
  const overlay = "overlays/no-knative";
  const without = off(...knative);
  const standard = choices.byDefault.map(systemLiteral);
  const [before, after] = await Promise.all([build("overlays/default"), build(overlay)]);
  take(documents, before, after, [without], standard);
  const parts = choices.parts.get("no-knative") ?? [];
  const built = await mapConcurrently(parts, (part) => build(overlay, [`${overlay}/${part}`]));
  for (const [index, part] of parts.entries()) {
    const literal = literalOf(part, choices);
    const more = built[index] as Objects;
    const seen = new Map(after);
    // What the choice has with Knative is the same without, or is there with Knative only.
    for (const document of documents.filter(({ when }) => when.some((one) => sameJson(one, literal)))) {
      const object = more.get(document.key);
      if (object && sameJson(document.tree, object)) seen.set(document.key, object);
      else document.when = [...document.when, on(...knative)];
    }
    take(documents, seen, more, [without, literal], [...standard, without]);
  }
}

const asTree = (object: KubernetesObject) => object as unknown as Tree;

/** What must be off so that an object is not there twice: others that bring the same one. */
const withoutOthers = (documents: readonly ChartDocument[], key: string, object: unknown): Condition =>
  documents.flatMap(({ key: other, when, tree }) =>
    other === key && sameJson(tree, object) ? when.slice(-1).map(({ path, on }) => ({ path, on: !on })) : [],
  );

/** The systems that bring an object which another one brings, too. */
const sharing = (documents: readonly ChartDocument[]): readonly string[] =>
  documents.flatMap(({ when: [first, second] }) =>
    first?.path[0] === "systems" && second?.path[0] === "systems" && !second.on ? [first.path[1] as string] : [],
  );

const keysOf = (documents: readonly ChartDocument[], names: readonly string[]): ReadonlySet<string> =>
  new Set(
    documents.flatMap(({ key, when }) =>
      when.some(({ path, on }) => on && names.includes(path[1] ?? "")) ? [key] : [],
    ),
  );

/** A part of a component is named after the system or the option for which it is. */
function literalOf(part: string, { systems, options, components }: Choices): Literal {
  if (systems.includes(part)) return on("systems", part);
  if (components.includes(part)) return on("components", part);
  const option = options.find((name) => name.endsWith(`/${part}`));
  if (!option) throw new Error(`There is neither a system nor an option ${part}.`);
  return on("options", option);
}
