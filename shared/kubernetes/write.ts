import { Contended } from "../contended.ts";
import type { Client, DeleteOptions, PatchOptions, PatchType } from "./client.ts";
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";

/** One write to the cluster as data, so that a decision stays pure and a test can compare it. */
export type Write =
  | {
      verb: "patch";
      kind: Kind;
      namespace: string | undefined;
      name: string;
      type: PatchType;
      patch: unknown;
      options?: PatchOptions;
    }
  | { verb: "create"; kind: Kind; object: KubernetesObject }
  | { verb: "delete"; kind: Kind; namespace: string | undefined; name: string; options: DeleteOptions };

/** Of the subresource `status`: what an object shows. */
export const isStatus = (write: Write): boolean => write.verb === "patch" && write.options?.subresource === "status";

/** No caller reads what is left of an object after a write. */
const unread = { metadataOnly: true };

/**
 * Sends one write. An object that is gone counts as done.
 *
 * @throws ApiError
 */
export async function send(client: Client, write: Write): Promise<void> {
  await dispatch(client, write);
}

/** Returns the metadata that a patch has left. */
async function dispatch(client: Client, write: Write): Promise<KubernetesObject | undefined> {
  if (write.verb === "create") await client.create(write.kind, write.object, unread);
  else if (write.verb === "delete") await client.delete(write.kind, write.namespace, write.name, write.options);
  else {
    const options = { ...write.options, ...unread };
    return client.patch(write.kind, write.namespace, write.name, write.type, write.patch, options);
  }
  return undefined;
}

/**
 * Sends writes in their order. One that is guarded by the resourceVersion of `object` as it was read, and comes after
 * another write of it, is guarded by what that one has left: no other writer may have been in between. What comes later
 * stands on what came before: a patch of an object that is gone ends the sequence, unless it is the last and nothing
 * `follows`. Those that the API server has taken are added to `sent`.
 *
 * @throws ApiError
 * @throws Contended when an object that something later stands on is gone.
 */
export async function sendAll(
  client: Client,
  { metadata }: KubernetesObject,
  writes: readonly Write[],
  follows: "nothing" | "a command" = "nothing",
  sent: Write[] = [],
): Promise<void> {
  let version = metadata.resourceVersion;
  for (const [index, write] of writes.entries()) {
    const left = await dispatch(
      client,
      version === metadata.resourceVersion ? write : guardedBy(version, metadata, write),
    );
    sent.push(write);
    const isLast = index === writes.length - 1 && follows === "nothing";
    if (write.verb === "patch" && !left && !isLast)
      throw new Contended(`${write.kind.kind} ${write.name} is gone, and what was to follow was not done.`);
    if (left?.metadata?.uid === metadata.uid) version = left.metadata.resourceVersion;
  }
}

function guardedBy(version: string, { uid, resourceVersion }: KubernetesObject["metadata"], write: Write): Write {
  if (write.verb !== "patch") return write;
  if (write.type === "json") {
    const operations = write.patch as readonly { op: string; path: string; value?: unknown }[];
    const isOfIt = operations.some(({ path, value }) => path === "/metadata/uid" && value === uid);
    const moved = operations.map((operation) =>
      operation.op === "test" && operation.path === "/metadata/resourceVersion" && operation.value === resourceVersion
        ? { ...operation, value: version }
        : operation,
    );
    return isOfIt ? { ...write, patch: moved } : write;
  }
  const { metadata } = write.patch as { metadata?: { uid?: string; resourceVersion?: string } };
  if (metadata?.uid !== uid || metadata.resourceVersion !== resourceVersion) return write;
  return { ...write, patch: { ...(write.patch as object), metadata: { ...metadata, resourceVersion: version } } };
}
