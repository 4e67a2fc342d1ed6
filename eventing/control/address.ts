import { Broker } from "../kinds.ts";
import type { Destination, Reference } from "../manifest/destination.ts";

/** Finds URLs of objects; `undefined` for one that has no address (yet). */
export type Resolve = (reference: Required<Reference>) => string | undefined;

/** The URL of a destination, or why there is none. References without a namespace stay in `namespace`. */
export function addressOf(
  { ref, uri }: Destination,
  namespace: string,
  brokerUrl: (namespace: string, name: string) => string | undefined,
  resolve: Resolve,
): { url: string } | { problem: string } {
  if (!ref) return { url: uri as string };
  const reference = { ...ref, namespace: ref.namespace ?? namespace };
  const isBroker = ref.apiVersion === Broker.apiVersion && ref.kind === Broker.kind;
  const url = isBroker ? brokerUrl(reference.namespace, reference.name) : resolve(reference);
  if (url === undefined) {
    return { problem: `${ref.kind} ${reference.namespace}/${reference.name} (${ref.apiVersion}) has no address` };
  }
  return { url: uri === undefined ? url : new URL(uri, url).href };
}
