import { type Change, type Reflection, reflect } from "../../../eventing/watch/reflect.ts";
import { discover, type ServedKind } from "../../../shared/kubernetes/discover.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ControllerTools } from "../controller.ts";
import { CustomResourceDefinition, kindKey } from "../objects/kinds.ts";
import { startWorkQueue } from "../work-queue.ts";

/** Metadata of every object of every kind that can be listed, watched and deleted, as its kinds come and go. */
export type Everything = ReturnType<typeof followEverything>;

type Handler = (kind: ServedKind, change: Change, object: KubernetesObject, old?: KubernetesObject) => void;

/**
 * After a CustomResourceDefinition changed, the kind appears in discovery a little later; asked for this often at most.
 */
const attempts = 10;

/**
 * Follows everything but Events. The set of kinds is read again whenever a CustomResourceDefinition or an APIService
 * changes, never by the clock.
 */
export function followEverything(tools: ControllerTools) {
  const { client, signal, trouble } = tools;
  const followed = new Map<string, { kind: ServedKind; reflection: Reflection; stop: AbortController }>();
  const handlers: Handler[] = [];
  const kindHandlers: (() => void)[] = [];
  const synced = Promise.withResolvers<void>();
  let served: ServedKind[] = [];
  let left = attempts;

  const report = (subject: string, error: unknown) => trouble({ controller: "discovery", subject, error });

  function start(kind: ServedKind): void {
    const stop = new AbortController();
    const reflection = reflect({ ...tools, signal: AbortSignal.any([signal, stop.signal]) }, kind, {
      metadataOnly: true,
      failed: (error) => report(kindKey(kind), error),
    });
    followed.set(kindKey(kind), { kind, reflection, stop });
    for (const handler of handlers) listen(kind, reflection, handler);
    if (definesKinds(kind)) reflection.on(kindsChanged);
  }

  function listen(kind: ServedKind, reflection: Reflection, handler: Handler): void {
    reflection.on((change, object, old) => handler(kind, change, object, old));
  }

  function stop(key: string): void {
    const entry = followed.get(key);
    followed.delete(key);
    entry?.stop.abort();
    // What cannot be read any more is gone as far as anyone can tell.
    for (const object of entry?.reflection.list() ?? []) {
      for (const handler of handlers) if (entry) handler(entry.kind, "delete", object, object);
    }
  }

  function kindsChanged(): void {
    left = attempts;
    queue.add("kinds");
  }

  async function read(): Promise<void> {
    served = await discover(client, report);
    const wanted = new Map(served.filter(isFollowed).map((kind) => [kindKey(kind), kind]));
    for (const key of [...followed.keys()]) if (!wanted.has(key)) stop(key);
    for (const [key, kind] of wanted) if (!followed.has(key)) start(kind);
    // Not awaited: a kind whose definition goes before it was listed never fills, and its going must still be seen.
    void Promise.all([...followed.values()].map(({ reflection }) => reflection.synced)).then(() => {
      synced.resolve();
      for (const handler of kindHandlers) handler();
    });
    if (definedButNotServed() && left-- > 0) queue.addAfter("kinds", 100 * 2 ** (attempts - left));
  }

  function definedButNotServed(): boolean {
    const names = new Set(served.map(({ plural, apiVersion }) => `${plural}.${apiVersion.split("/")[0]}`));
    const defined = followed.get(kindKey(CustomResourceDefinition))?.reflection.list() ?? [];
    return defined.some(({ metadata }) => !metadata.deletionTimestamp && !names.has(metadata.name));
  }

  const queue = startWorkQueue(tools, { controller: "discovery", ready: Promise.resolve(), work: read });
  queue.add("kinds");

  return {
    /** A kind by apiVersion and name, in any version that is served. */
    find: (apiVersion: string, kind: string) =>
      served.find((other) => other.apiVersion === apiVersion && other.kind === kind),
    /** Every kind in its preferred version. */
    kinds: () => served.filter(({ preferred }) => preferred),
    on(handler: Handler) {
      handlers.push(handler);
      for (const { kind, reflection } of followed.values()) listen(kind, reflection, handler);
    },
    /** Called whenever the set of kinds has been read again and new ones are listed. */
    onKinds: (handler: () => void) => kindHandlers.push(handler),
    synced: synced.promise,
    /** Resolves when the signal has aborted and nothing watches any more. */
    async stopped() {
      await Promise.all([...followed.values()].map(({ reflection }) => reflection.stopped));
    },
  };
}

function isFollowed({ kind, preferred, verbs }: ServedKind): boolean {
  return preferred && kind !== "Event" && ["list", "watch", "delete"].every((verb) => verbs.includes(verb));
}

function definesKinds(kind: ServedKind): boolean {
  return kindKey(kind) === kindKey(CustomResourceDefinition) || kind.kind === "APIService";
}
