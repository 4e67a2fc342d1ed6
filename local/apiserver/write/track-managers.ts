import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { trackFields } from "../apply/track.ts";
import { asServed, asStored } from "../kinds/stored-version.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

/** Notes in `metadata.managedFields` what the call's manager changed, in the version that it speaks. */
export function track(
  state: State,
  { resource, manager, subresource }: Call,
  object: KubernetesObject,
  live?: KubernetesObject,
): KubernetesObject {
  if (!state.switches.managedFields) return object;
  const tracked = trackFields({
    resource,
    live: live && asServed(resource, live),
    object: asServed(resource, object),
    manager,
    subresource,
    now: state.clock.now(),
  });
  return asStored(resource, tracked as KubernetesObject);
}
