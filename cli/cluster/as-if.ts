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
  const { namespace, name, uid, resourceVersion, creationTimestamp, managedFields } = live.metadata;
  if (read?.kind !== live.kind || read.metadata?.name !== name)
    throw new UserError(`${file} holds no ${live.kind} ${name}: start from kubectl get ${live.kind} ${name} -o yaml`);
  const metadata = {
    // kubectl hides who manages which field, and rules decide by it.
    ...{ creationTimestamp, managedFields },
    ...read.metadata,
    ...(namespace ? { namespace } : {}),
    ...{ name, uid, resourceVersion },
  } as ObjectMeta;
  return { ...read, apiVersion: live.apiVersion, kind: live.kind, metadata };
}

/** An object as it would be; without one it would be gone. */
export interface Changed {
  readonly kind: Kind;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly object?: KubernetesObject;
}

/** An object in place of the live one of its name. */
export const changedTo = (kind: Kind, object: KubernetesObject): Changed => {
  const { namespace, name } = object.metadata;
  return { kind, namespace, name, object };
};

/** A client that shows some objects of the cluster as they would be, and all others as they are. */
export function asIf(client: Client, changes: readonly Changed[]): Client {
  const keyOf = ({ apiVersion, kind }: Kind, namespace: string | undefined, name: string) =>
    `${apiVersion} ${kind} ${namespace ?? ""}/${name}`;
  const byKey = new Map(changes.map((one) => [keyOf(one.kind, one.namespace, one.name), one]));
  async function* list<T extends KubernetesObject>(kind: Kind, options: ListOptions = {}): AsyncIterable<T> {
    const isSelected = options.labelSelector ? parseLabelSelector(options.labelSelector) : () => true;
    for (const one of changes) {
      const isAsked = one.kind.kind === kind.kind && one.kind.apiVersion === kind.apiVersion;
      const isInScope = !options.namespace || options.namespace === one.namespace;
      if (one.object && isAsked && isInScope && isSelected(one.object.metadata.labels ?? {})) yield one.object as T;
    }
    for await (const live of client.list<T>(kind, options))
      if (!byKey.has(keyOf(kind, live.metadata.namespace, live.metadata.name))) yield live;
  }
  return {
    ...client,
    list,
    get: async (kind, namespace, name, ...rest) => {
      const changed = byKey.get(keyOf(kind, kind.namespaced ? namespace : undefined, name));
      return changed ? (changed.object as never) : client.get(kind, namespace, name, ...rest);
    },
  };
}
