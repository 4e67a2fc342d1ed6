import { findUnresolved, type Source } from "../../shared/command/find-unresolved.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { produce } from "../images/produce.ts";
import type { Progress } from "../images/progress.ts";
import type { ResolveOptions, SourceOptions } from "./options.ts";
import { findReferences, putImages, selectDocuments } from "./references.ts";
import { buildKustomization, readSources } from "./sources.ts";

/**
 * The YAML that was asked for, with images in the places of references. Everything is read before anything is built, so
 * that a reference to nothing costs no time.
 *
 * @throws UserError
 */
export async function resolve(
  { build, target, ...options }: ResolveOptions,
  functions: readonly string[],
  progress: Progress,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const selected = await readSelected(options);
  const sources = selected.map((source) => ({ ...source, references: findReferences(source, functions) }));
  const wanted = new Set(sources.flatMap(({ references }) => references.map(({ name }) => name)));
  const names = functions.filter((name) => wanted.has(name));
  const images = names.length > 0 ? await produce(names, build, { push: target }, progress, environment) : new Map();
  return sources
    .map(({ text, references }) => putImages(text, references, images))
    .filter((text) => text.trim() !== "")
    .map((text) => (text.endsWith("\n") ? text : `${text}\n`))
    .reduce((all, text) => (all === "" || text.startsWith("---") ? all + text : `${all}---\n${text}`), "");
}

/**
 * Looks whether every function in the YAML has an image.
 *
 * @throws UserError that names each place at which one has not
 */
export async function check(options: SourceOptions): Promise<void> {
  const unresolved = (await readSelected(options)).flatMap(findUnresolved);
  if (unresolved.length === 0) return;
  const places = unresolved.map(({ at, value }) => `  ${at}: ${value}`);
  throw new UserError(
    [
      "These stand for images, and have none; Knative would look for them in a registry called fn:",
      ...places,
      "Put images in their places with npm run resolve, or name them in an overlay as knative/examples/images does.",
    ].join("\n"),
  );
}

async function readSelected({ files, recursive, kustomization, selector }: SourceOptions): Promise<readonly Source[]> {
  const read = kustomization
    ? [await buildKustomization(kustomization)]
    : (await Promise.all(files.map((path) => readSources(path, recursive)))).flat();
  return selector === undefined ? read : read.map((source) => selectDocuments(source, selector));
}
