import { objectIn, objectsIn, setMissing, specOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** CustomResourceDefinitions: accepted as they come in, and served from then on. */
export const definitionStrategy: Strategy = {
  generation: true,
  versionRequired: true,
  answersDeleted: true,

  defaults(definition) {
    const spec = objectIn(definition, "spec");
    const names = objectIn(spec, "names");
    setMissing(names, { singular: String(names.kind ?? "").toLowerCase(), listKind: `${names.kind}List` });
    setMissing(spec, { conversion: { strategy: "None" } });
  },

  prepareCreate(definition) {
    const stored = objectsIn(specOf(definition), "versions").find((version) => version.storage === true);
    definition.status = { acceptedNames: { kind: "", plural: "" }, conditions: null, storedVersions: [stored?.name] };
  },
};
