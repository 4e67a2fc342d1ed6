import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { defaultCustom } from "../custom/default.ts";
import { validateCustom } from "../custom/validate.ts";
import type { Resource } from "../resource.ts";
import type { Strategy } from "./strategy.ts";

const strategies = new WeakMap<Resource, Strategy>();

/** Custom resources: what their CustomResourceDefinition says, and no unconditional updates. */
export function customStrategy(resource: Resource): Strategy {
  let strategy = strategies.get(resource);
  if (!strategy) {
    strategy = createStrategy(resource.custom?.schema ?? {});
    strategies.set(resource, strategy);
  }
  return strategy;
}

const createStrategy = (schema: Record<string, unknown>): Strategy => ({
  generation: true,
  versionRequired: true,
  defaults: (object) => become(object, defaultCustom(schema, object) as KubernetesObject),
  validate: (object, live) => validateCustom(schema, object, live),
});

function become(object: KubernetesObject, other: KubernetesObject): void {
  if (object === other) return;
  for (const field of Object.keys(object)) if (!Object.hasOwn(other, field)) delete object[field];
  Object.assign(object, other);
}
