import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { discover, type ServedKind } from "../../shared/kubernetes/discover.ts";
import { groupOf, type Kind } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject } from "../../shared/kubernetes/object.ts";

/** An object as people name it: `pvc/data`, `volumes.storage.metalk8s.scality.com/v1`. */
export interface Named {
  readonly kind: string;
  readonly name: string;
}

/**
 * `KIND/NAME`, or `KIND NAME`.
 *
 * @throws UserError where it is neither.
 */
export function readName(words: readonly string[]): Named {
  const [kind, name, ...more] = words.length === 1 ? (words[0] ?? "").split("/") : words;
  if (!kind || !name || kind.includes("/") || more.length > 0)
    throw new UserError(`${words.join(" ")} names no object: write KIND/NAME, for example pvc/data-web-0.`);
  return { kind, name };
}

/**
 * Finds the object that is meant, live. Where several groups serve a kind of the name, the one that is among `known`
 * is taken.
 *
 * @throws UserError where the cluster serves no such kind, or has no such object.
 */
export async function findObject(
  client: Client,
  { kind: word, name }: Named,
  namespace: string,
  known: readonly Kind[],
): Promise<{ readonly kind: Kind; readonly object: KubernetesObject }> {
  const kind = await findKind(client, word, known);
  const object = await client.get<KubernetesObject>(kind, kind.namespaced ? namespace : undefined, name);
  if (object) return { kind, object: { ...object, apiVersion: kind.apiVersion, kind: kind.kind } };
  const { apiVersion } = kind;
  const what = describe({ apiVersion, kind: kind.kind, name, ...(kind.namespaced ? { namespace } : {}) });
  const other = kind.namespaced ? " Is it in another namespace? Give -n NAMESPACE." : "";
  throw new UserError(`There is no ${what}.${other}`);
}

async function findKind(client: Client, word: string, known: readonly Kind[]): Promise<Kind> {
  const silent: string[] = [];
  const served = await discover(client, (path) => silent.push(path));
  const wanted = word.toLowerCase();
  const found = served.filter((kind) => isMeant(kind, wanted));
  const isKnown = (kind: ServedKind) =>
    known.some((one) => one.kind === kind.kind && one.apiVersion === kind.apiVersion);
  const kind = found.find(isKnown) ?? found.find(({ preferred }) => preferred) ?? found[0];
  if (kind) return kind;
  const without = silent.length > 0 ? ` It does not answer for ${silent.join(", ")}.` : "";
  throw new UserError(`The cluster serves no kind ${word}; \`kubectl api-resources\` lists those it serves.${without}`);
}

function isMeant(kind: ServedKind, word: string): boolean {
  const names = [kind.plural, kind.kind.toLowerCase(), ...kind.aliases];
  return names.some((name) => name === word || `${name}.${groupOf(kind)}` === word);
}
