import type { Resource } from "../resource.ts";
import type { Strategy } from "./strategy.ts";

/** Custom resources: what their CustomResourceDefinition says, and no unconditional updates. */
export function customStrategy(_resource: Resource): Strategy {
  return { generation: true, versionRequired: true };
}
