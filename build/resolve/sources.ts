import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { parse } from "yaml";
import type { Source } from "../../shared/command/find-unresolved.ts";
import { UserError } from "../../shared/command/user-error.ts";

const kustomizations = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/**
 * Reads what `-f` names: a file, `-` for standard input, or a folder. Of a folder with a kustomization, what that
 * brings together, with comments and layout as they are; of another, its YAML and JSON files, those of folders in it
 * only when `recursive`.
 *
 * @throws UserError
 */
export async function readSources(path: string, recursive: boolean): Promise<readonly Source[]> {
  if (path === "-") return [{ origin: "standard input", text: await text(process.stdin) }];
  if (!existsSync(path)) throw new UserError(`There is no file or folder ${path}.`);
  if (!statSync(path).isDirectory()) return [{ origin: path, text: readFileSync(path, "utf8") }];
  const file = kustomizations.map((name) => join(path, name)).find(existsSync);
  if (file) return follow(path, file);
  const files = globSync(`${recursive ? "**/" : ""}*.{yaml,yml,json}`, { cwd: path }).sort();
  if (files.length === 0)
    throw new UserError(`There is no YAML in ${path}${recursive ? "" : ", --recursive looks deeper"}.`);
  return files.map((name) => ({ origin: join(path, name), text: readFileSync(join(path, name), "utf8") }));
}

/** What a kustomization or a component names, if all it does is name. */
async function follow(folder: string, file: string): Promise<readonly Source[]> {
  const {
    apiVersion: _version,
    kind: _kind,
    resources = [],
    components = [],
    ...more
  } = (parse(readFileSync(file, "utf8")) ?? {}) as Kustomization;
  if (Object.keys(more).length > 0)
    throw new UserError(`${file} has ${Object.keys(more).join(", ")}, which kustomize carries out: say -k ${folder}.`);
  const entries = [...resources, ...components].map((entry) => readSources(join(folder, entry), false));
  return (await Promise.all(entries)).flat();
}

interface Kustomization {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
}

/** Has kubectl build a kustomization. @throws UserError with what it complains about */
export async function buildKustomization(folder: string): Promise<Source> {
  try {
    const { stdout } = await promisify(execFile)("kubectl", ["kustomize", folder], { maxBuffer: 2 ** 28 });
    return { origin: `kubectl kustomize ${folder}`, text: stdout };
  } catch (error) {
    const { stderr = "", message, code } = error as Error & { stderr?: string; code?: string };
    if (code === "ENOENT") throw new UserError("-k needs kubectl, which is not found.");
    throw new UserError(`kubectl kustomize ${folder}: ${stderr.trim() || message}`);
  }
}
