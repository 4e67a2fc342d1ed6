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

// Models are read one by one and only when a type is asked for: all of them take a second and 60 MB.
const require = createRequire(import.meta.url);
const attributes = new Map<string, readonly Attribute[] | undefined>();

/** The fields of a generated model such as `V1PodSpec`; `undefined` when client-node has no such model. */
export function attributesOf(model: string): readonly Attribute[] | undefined {
  if (!attributes.has(model)) attributes.set(model, load(model));
  return attributes.get(model);
}

function load(model: string): readonly Attribute[] | undefined {
  try {
    const loaded: Record<string, { attributeTypeMap?: readonly Attribute[] } | undefined> = require(
      `@kubernetes/client-node/dist/gen/models/${model}.js`,
    );
    return loaded[model]?.attributeTypeMap;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
