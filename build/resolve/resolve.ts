import { produce } from "../images/produce.ts";
import type { Progress } from "../images/progress.ts";
import type { ResolveOptions } from "./options.ts";
import { findReferences, putImages, selectDocuments } from "./references.ts";
import { buildKustomization, readSources } from "./sources.ts";

/**
 * The YAML that was asked for, with images in the places of references. Everything is read before anything is built, so that
 * a reference to nothing costs no time.
 *
 * @throws Complaint
 */
export async function resolve(
  { files, recursive, kustomization, selector, build, target }: ResolveOptions,
  functions: readonly string[],
  progress: Progress,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const read = kustomization
    ? [await buildKustomization(kustomization)]
    : (await Promise.all(files.map((path) => readSources(path, recursive)))).flat();
  const selected = selector === undefined ? read : read.map((source) => selectDocuments(source, selector));
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
