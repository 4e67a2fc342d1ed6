import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { fromHere } from "../../shared/command/from-here.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Client, ListOptions } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../shared/kubernetes/object.ts";
import { parseLabelSelector } from "../../shared/kubernetes/parse-label-selector.ts";

/**
 * The object of a file, as `kubectl get -o yaml` prints it and a person has changed it. What the server fills in is
 * taken from the live object where the file leaves it out.
 *
 * @throws UserError where the file holds no such object.
 */
export function readAsIf(file: string, live: KubernetesObject): KubernetesObject {
  let read: Partial<KubernetesObject> | undefined;
  try {
    read = parse(readFileSync(fromHere(file), "utf8"));
  } catch (cause) {
    throw new UserError(`${file} cannot be read: ${(cause as Error).message.split("\n")[0]}`, { cause });
  }
  const { namespace, name, uid, resourceVersion } = live.metadata;
  if (read?.kind !== live.kind || read.metadata?.name !== name)
    throw new UserError(`${file} holds no ${live.kind} ${name}: start from kubectl get ${live.kind} ${name} -o yaml`);
  const metadata: ObjectMeta = { ...read.metadata, ...(namespace ? { namespace } : {}), name, uid, resourceVersion };
  return { ...read, apiVersion: live.apiVersion, kind: live.kind, metadata };
}

/** A client that shows one object of the cluster as it would be, and all others as they are. */
export function asIf(client: Client, kind: Kind, object: KubernetesObject): Client {
  const isKind = (one: Kind) => one.kind === kind.kind && one.apiVersion === kind.apiVersion;
  const { name, namespace } = object.metadata;
  async function* list<T extends KubernetesObject>(one: Kind, options: ListOptions = {}): AsyncIterable<T> {
    const isAsked = isKind(one) && (!options.namespace || options.namespace === namespace);
    const isSelected =
      !options.labelSelector || parseLabelSelector(options.labelSelector)(object.metadata.labels ?? {});
    if (isAsked && isSelected) yield object as T;
    for await (const live of client.list<T>(one, options))
      if (!isAsked || live.metadata.name !== name || live.metadata.namespace !== namespace) yield live;
  }
  return {
    ...client,
    list,
    get: async (one, ns, wanted, ...rest) =>
      isKind(one) && wanted === name && (ns ?? "") === (namespace ?? "")
        ? (object as never)
        : client.get(one, ns, wanted, ...rest),
  };
}
