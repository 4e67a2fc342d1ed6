import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { defaultCustom } from "../custom/default.ts";
import { validateCustom } from "../custom/validate.ts";
import { remember } from "../remember.ts";
import type { Resource } from "../resource.ts";
import type { Strategy } from "./strategy.ts";

/** Custom resources: what their CustomResourceDefinition says, and no unconditional updates. */
export const customStrategy = remember((resource: Resource): Strategy => {
  const schema = resource.custom?.schema ?? {};
  return {
    generation: true,
    versionRequired: true,
    defaults: (object) => become(object, defaultCustom(schema, object) as KubernetesObject),
    validate: (object, live) => validateCustom(schema, object, live),
  };
});

function become(object: KubernetesObject, other: KubernetesObject): void {
  if (object === other) return;
  for (const field of Object.keys(object)) if (!Object.hasOwn(other, field)) delete object[field];
  Object.assign(object, other);
}
