import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { admit } from "../admission/admit.ts";
import { checkOwnerPermissions } from "../admission/owner-permissions.ts";
import { alreadyExists, invalid } from "../failure.ts";
import { collectionOf } from "../kinds/resource-table.ts";
import { asStored } from "../kinds/stored-version.ts";
import { strategyOf } from "../kinds/strategies.ts";
import { type Call, keyOf } from "../request/call.ts";
import { type State, timestamp } from "../state.ts";
import { StatusError } from "../status-error.ts";
import { type Stored, storedAs } from "../store/stored.ts";
import { checkNewMetadata } from "../validation/metadata.ts";
import { subdomainProblems } from "../validation/names.ts";
import { normalizeMetadata } from "./normalize-metadata.ts";
import { track } from "./track-managers.ts";

/**
 * Creates an object that was read from a request, in the version of the call's resource; the caller hands it over.
 * Returns what was stored, or would have been in a dry run. Throws 409 for a name that is taken and 422 for what is
 * invalid.
 */
export function createObject(state: State, call: Call, given: KubernetesObject, applied = false): Stored {
  const { resource } = call;
  const strategy = strategyOf(resource);
  const now = timestamp(state);
  let object = asStored(resource, given);
  const { resourceVersion } = object.metadata;
  if (resourceVersion && resourceVersion !== "0") {
    throw new StatusError(500, "", "resourceVersion should not be set on objects to be created");
  }
  for (const field of ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion"]) {
    delete object.metadata[field];
  }
  normalizeMetadata(object.metadata);
  if (resource.subresources?.includes("status") && !strategy.keepsStatusAtCreation) delete object.status;
  strategy.defaults?.(object);
  if (!applied) object = track(state, call, object);
  object = admit(state, call, object);

  const { metadata } = object;
  metadata.uid = state.random.uuid();
  metadata.creationTimestamp = now;
  if (strategy.generation) metadata.generation = 1;
  if (!metadata.name && metadata.generateName) metadata.name = generateName(state, `${metadata.generateName}`);
  strategy.prepareCreate?.(object, now);

  const causes = [
    ...checkNewMetadata(metadata, strategy.nameRule ?? subdomainProblems, resource.custom ? "custom" : "builtin"),
    ...(strategy.validate?.(object) ?? []),
  ];
  if (causes.length > 0) throw invalid(resource, metadata.name ?? "", causes);
  checkOwnerPermissions(state, call, object);

  const collection = collectionOf(resource);
  const key = keyOf(resource, metadata.namespace, metadata.name);
  if (state.store.get(collection, key)) throw alreadyExists(resource, metadata.name);
  if (call.dryRun) return storedAs(key, 0, object);
  return state.store.put(collection, key, object);
}

// No vowels, and no digits that look like them: a random suffix must not spell a word.
const letters = "bcdfghjklmnpqrstvwxz2456789";
const longestBase = 58;

function generateName({ random }: State, base: string): string {
  const suffix = Array.from({ length: 5 }, () => letters[random.below(letters.length)]).join("");
  return `${base.slice(0, longestBase)}${suffix}`;
}
