import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** One field of a built-in type, as client-node's generated models list it. */
export interface Attribute {
  /** The property of the generated class; differs from `baseName` where that is no identifier. */
  readonly name: string;
  /** The name in JSON. */
  readonly baseName: string;
  /** `string`, `Array<V1Container>`, `{ [key: string]: string; }`, ... */
  readonly type: string;
  /** `int32`, `date-time`, ... or empty. */
  readonly format: string;
}

/** The prose of a model's declaration, which its code leaves out. */
export interface Documentation {
  readonly description: string;
  readonly fields: Readonly<Record<string, { readonly description: string; readonly required: boolean }>>;
}

// Models are read one by one and only when a type is asked for: all of them take a second and 60 MB.
const require = createRequire(import.meta.url);
const fileOf = (model: string, extension: string) => `@kubernetes/client-node/dist/gen/models/${model}${extension}`;
const attributes = new Map<string, readonly Attribute[] | undefined>();

/** The fields of a generated model such as `V1PodSpec`; `undefined` when client-node has no such model. */
export function attributesOf(model: string): readonly Attribute[] | undefined {
  if (!attributes.has(model)) attributes.set(model, load(model));
  return attributes.get(model);
}

function load(model: string): readonly Attribute[] | undefined {
  try {
    const loaded: Record<string, { attributeTypeMap?: readonly Attribute[] } | undefined> = require(
      fileOf(model, ".js"),
    );
    return loaded[model]?.attributeTypeMap;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Reads descriptions and required fields of a model from its type declaration. */
export function documentationOf(model: string): Documentation {
  const text = readFileSync(require.resolve(fileOf(model, ".d.ts")), "utf8");
  const fields: Record<string, { description: string; required: boolean }> = {};
  for (const [, comment, name, optional] of text.matchAll(/^ {4}(?:\/\*\*\n([\s\S]*?)\*\/\n {4})?'([^']+)'(\?)?:/gm)) {
    if (name) fields[name] = { description: prose(comment), required: optional !== "?" };
  }
  const [, comment] = /\n\/\*\*\n((?:\*.*\n)*?)\*\/\nexport declare class/.exec(text) ?? [];
  return { description: prose(comment), fields };
}

const prose = (comment = "") =>
  comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*\s?/, ""))
    .join("\n")
    .replace(/\\(['"])/g, "$1")
    .trim();
