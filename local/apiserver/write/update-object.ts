import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { admit } from "../admission/admit.ts";
import { checkOwnerPermissions } from "../admission/owner-permissions.ts";
import { invalid, modified, unreadableVersion } from "../failure.ts";
import { asStored } from "../kinds/stored-version.ts";
import { strategyOf } from "../kinds/strategies.ts";
import type { Strategy } from "../kinds/strategy.ts";
import { copyOf } from "../patch/copy.ts";
import type { Call, ObjectCall } from "../request/call.ts";
import { type State, timestamp } from "../state.ts";
import { type Stored, storedAs } from "../store/stored.ts";
import { checkChangedMetadata } from "../validation/metadata.ts";
import { invalidValue } from "../validation/status-cause.ts";
import { normalizeMetadata } from "./normalize-metadata.ts";
import { removeObject, replaceObject } from "./replace.ts";
import { track } from "./track-managers.ts";

/**
 * Brings `live` to the state that a request wants, given in the version of the call's resource; the caller hands it
 * over. A write that changes nothing is none; the write that takes the last finalizer of a dying object deletes it.
 * Throws 409 for a stale resourceVersion and 422 for what is invalid.
 */
export function updateObject(
  state: State,
  call: ObjectCall,
  live: Stored,
  given: KubernetesObject,
  applied = false,
): Stored {
  const { resource, subresource } = call;
  const strategy = strategyOf(resource);
  const now = timestamp(state);
  let next = asStored(resource, given);
  checkVersion(call, strategy, live, next);
  normalizeMetadata(next.metadata);
  next = subresource === "status" ? statusChange(call, live.object, next) : mainChange(call, live.object, next);
  strategy.defaults?.(next);
  if (!applied) next = track(state, call, next, live.object);
  next = admit(state, call, next, live.object);

  keepMetadata(next, live.object);
  if (subresource === "status") strategy.prepareStatus?.(next, live.object, now);
  else if (subresource !== "finalize") strategy.prepareUpdate?.(next, live.object, now);
  if (strategy.generation && isNewGeneration(call, next, live.object)) {
    next.metadata.generation = (live.object.metadata.generation ?? 0) + 1;
  }

  // The API server checks changed metadata twice, and names each problem twice.
  const metadataCauses = checkChangedMetadata(
    next.metadata,
    live.object.metadata,
    resource.custom ? "custom" : "builtin",
  );
  const causes = [...metadataCauses, ...(strategy.validate?.(next, live.object) ?? []), ...metadataCauses];
  if (causes.length > 0) throw invalid(resource, next.metadata.name, causes);
  checkOwnerPermissions(state, call, next, live.object);
  return store(state, call, strategy, live, next);
}

function store(state: State, call: Call, strategy: Strategy, live: Stored, next: KubernetesObject): Stored {
  if (!isReleased(strategy, next)) return replaceObject(state, call, live, next);
  if (!call.dryRun) removeObject(state, call.resource, live);
  return storedAs(live.key, live.version, next);
}

/**
 * Whether nothing holds a dying object any longer. A pod that still has time to end waits for the DELETE without grace.
 */
function isReleased(strategy: Strategy, { metadata, ...rest }: KubernetesObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata;
  if (!deletionTimestamp || finalizers.length > 0 || deletionGracePeriodSeconds > 0) return false;
  return !strategy.held?.({ ...rest, metadata });
}

function checkVersion({ resource }: Call, strategy: Strategy, live: Stored, { metadata }: KubernetesObject): void {
  const wanted = metadata.resourceVersion;
  if (wanted && wanted !== "0") {
    if (!/^\d+$/.test(wanted)) throw unreadableVersion(wanted);
    if (Number(wanted) !== live.version) throw modified(resource, metadata.name);
  } else if (strategy.versionRequired) {
    const cause = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid({ ...resource, kind: resource.plural }, metadata.name, [cause]);
  }
}

/** An update of the object itself leaves its status alone. */
function mainChange({ resource }: Call, live: KubernetesObject, next: KubernetesObject): KubernetesObject {
  if (!resource.subresources?.includes("status")) return next;
  const { status, ...rest } = next;
  return { ...(rest as KubernetesObject), ...(live.status === undefined ? {} : { status: copyOf(live.status) }) };
}

/** An update of the status leaves all else alone; of built-in kinds it may change the metadata too. */
function statusChange({ resource }: Call, live: KubernetesObject, next: KubernetesObject): KubernetesObject {
  const { status: _, metadata, ...rest } = live;
  const changed = resource.custom
    ? { ...metadata, ...(next.metadata.managedFields ? { managedFields: next.metadata.managedFields } : {}) }
    : next.metadata;
  return copyOf({
    ...rest,
    metadata: changed,
    ...(next.status === undefined ? {} : { status: next.status }),
  }) as KubernetesObject;
}

/** Restores what an update never changes. In place. */
function keepMetadata({ metadata }: KubernetesObject, { metadata: live }: KubernetesObject): void {
  metadata.uid ||= live.uid;
  for (const field of ["creationTimestamp", "generation", "selfLink"]) {
    if (live[field] === undefined) delete metadata[field];
    else metadata[field] = live[field];
  }
  if (live.deletionTimestamp) metadata.deletionTimestamp = live.deletionTimestamp;
  if (live.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= live.deletionGracePeriodSeconds;
  }
}

/** Whether what the user wants has changed: all but metadata and status, which change without the user. */
function isNewGeneration({ resource, subresource }: Call, next: KubernetesObject, live: KubernetesObject): boolean {
  if (subresource === "status") return false;
  const hasStatus = !resource.custom || resource.subresources?.includes("status");
  const wanted = ({ metadata: _, status, ...rest }: KubernetesObject) => (hasStatus ? rest : { ...rest, status });
  return !isDeepStrictEqual(wanted(next), wanted(live));
}
