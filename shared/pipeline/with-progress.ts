import { annotate } from "../kubernetes/annotate.ts";
import { metadataOperations } from "../kubernetes/guarded-patch.ts";
import type { Kind } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Write } from "../kubernetes/write.ts";

/** Changes of an object's metadata; null removes. */
export interface MetadataChange {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly labels?: Readonly<Record<string, string | null>>;
}

/**
 * The writes, with a change of annotations and labels of the object merged into the last patch of it. Where none of
 * them can take it (another object, a subresource, a server-side apply that would have to remove something), it is a
 * patch of its own: at the end, because what it says has then been done, or at the beginning where it says what is
 * about to be done.
 */
export function withProgress(
  writes: readonly Write[],
  kind: Kind,
  about: KubernetesObject,
  change: MetadataChange | undefined,
  alone: "at the end" | "at the beginning" = "at the end",
): readonly Write[] {
  if (!change) return writes;
  const place = writes.findLastIndex((write) => takes(write, kind, about, change));
  const own = writes[place];
  if (own?.verb !== "patch") {
    const note = annotate(kind, about, change.annotations, change.labels);
    return alone === "at the end" ? [...writes, note] : [note, ...writes];
  }
  return writes.with(place, { ...own, patch: own.type === "json" ? json(own, about, change) : merge(own, change) });
}

function takes(write: Write, kind: Kind, { metadata }: KubernetesObject, change: MetadataChange): boolean {
  if (write.verb !== "patch" || write.kind.plural !== kind.plural || write.kind.apiVersion !== kind.apiVersion)
    return false;
  const isIt = write.name === metadata.name && (write.namespace ?? "") === (metadata.namespace ?? "");
  if (!isIt || write.options?.subresource) return false;
  const removes = Object.values({ ...change.annotations, ...change.labels }).includes(null);
  return write.type === "json" || write.type === "merge" || (write.type === "apply" && !removes);
}

type Patch = Extract<Write, { verb: "patch" }>;

function json({ patch }: Patch, about: KubernetesObject, change: MetadataChange): readonly object[] {
  const operations = patch as readonly { op: string; path: string }[];
  const made = (map: string) => operations.some(({ op, path }) => op === "add" && path === `/metadata/${map}`);
  return [
    ...operations,
    ...metadataOperations(about, "annotations", change.annotations, made("annotations")),
    ...metadataOperations(about, "labels", change.labels ?? {}, made("labels")),
  ];
}

function merge({ patch }: Patch, { annotations, labels }: MetadataChange): object {
  const given = patch as { metadata?: { annotations?: object; labels?: object } };
  const { metadata = {} } = given;
  return {
    ...given,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, ...annotations },
      ...(labels ? { labels: { ...metadata.labels, ...labels } } : {}),
    },
  };
}
