import type { Kind } from "../../shared/kubernetes/kind.ts";
import { accessOf, furtherAccessOf, type Grant } from "./access.ts";
import type { Declared } from "./declared.ts";
import { familyOf } from "./families.ts";
import type { Patch } from "./kustomization.ts";
import { namespace, partOf, product } from "./metadata.ts";

/** The kinds that trigger a rule by default, by family; families and kinds sorted. */
export function watchedKinds(functions: readonly Declared[]): ReadonlyMap<string, readonly Kind[]> {
  const kinds = new Map<string, Kind>();
  for (const { triggers = [] } of functions)
    for (const { kind, overlay, signal } of triggers) if (!overlay && !signal) kinds.set(keyOf(kind), kind);
  return byFamily(kinds);
}

/**
 * The kinds that a rule is triggered by with an overlay only, and that neither these functions nor `others` are watched
 * for without.
 */
export function kindsOfOverlay(
  overlay: string,
  functions: readonly Declared[],
  others: readonly Declared[],
): ReadonlyMap<string, readonly Kind[]> {
  const watched = new Set([...watchedKinds([...functions, ...others]).values()].flat().map(keyOf));
  const kinds = functions.flatMap(({ triggers = [] }) =>
    triggers
      .filter((trigger) => trigger.overlay === overlay && !watched.has(keyOf(trigger.kind)))
      .map(({ kind }) => kind),
  );
  return byFamily(new Map(kinds.map((kind) => [keyOf(kind), kind])));
}

const keyOf = ({ apiVersion, kind }: Kind) => `${apiVersion}/${kind}`;

function byFamily(kinds: ReadonlyMap<string, Kind>): ReadonlyMap<string, readonly Kind[]> {
  const sorted = [...kinds.keys()].sort().map((key) => kinds.get(key) as Kind);
  return new Map([...Map.groupBy(sorted, familyOf)].sort(([one], [other]) => (one < other ? -1 : 1)));
}

const labels = { [partOf]: product, "app.kubernetes.io/component": "source" };

/** A source of these kinds, as an object; a kind may have a label selector. */
export function sourceOf(
  { name, account, family }: { readonly name: string; readonly account: string; readonly family: string },
  kinds: readonly (Kind & { readonly selector?: object })[],
  everywhere: object = {},
): object {
  return {
    apiVersion: "sources.knative.dev/v1",
    kind: "ApiServerSource",
    metadata: { name, namespace, labels },
    spec: {
      serviceAccountName: account,
      mode: "Resource",
      ...everywhere,
      resources: kinds.map(resourceOf),
      sink: { ref: { apiVersion: "eventing.knative.dev/v1", kind: "Broker", name: family } },
    },
  };
}

/**
 * The sources of one family with their ServiceAccount and its role, as objects; `apart`: those that an optional system
 * or an overlay brings, by its name, for what is not watched without it.
 */
export function sourceManifests(family: string, kinds: readonly Kind[], apart?: string): readonly object[] {
  const prefix = apart ? `${apart}-${family}` : family;
  const account = `${prefix}-source`;
  const grants = kinds.map((resource): Grant => ({ resource, verbs: ["get", "list", "watch"] }));
  const source = (name: string, kinds: readonly Kind[], everywhere: object) =>
    sourceOf({ name, account, family }, kinds, everywhere);
  const namespaced = kinds.filter(({ namespaced }) => namespaced);
  const others = kinds.filter(({ namespaced }) => !namespaced);
  return [
    ...accessOf({ name: account, labels }, grants),
    ...(namespaced.length > 0 ? [source(prefix, namespaced, { namespaceSelector: {} })] : []),
    // With a selector, every new namespace would restart the adapter, and what changes meanwhile would be lost.
    ...(others.length > 0 ? [source(`${prefix}-cluster`, others, {})] : []),
  ];
}

/** The name of the source that has a kind's events where the default install watches its family. */
export const sourceNameOf = (kind: Kind) => `${familyOf(kind)}${kind.namespaced ? "" : "-cluster"}`;

/**
 * What a system adds for kinds that the default does not watch. Where the default has a source of the same family and
 * scope, that source is patched to watch them, too: each source of its own is one more adapter, which never rests.
 */
export function furtherSources(
  system: string,
  watched: ReadonlyMap<string, readonly Kind[]>,
  byDefault: ReadonlyMap<string, readonly Kind[]>,
): { readonly objects: readonly object[]; readonly patches: readonly Patch[] } {
  const present = [...byDefault.values()].flat();
  const known = new Set(present.map(keyOf));
  const sources = new Set(present.map(sourceNameOf));
  const objects: object[] = [];
  const patches: Patch[] = [];
  for (const [family, all] of watched) {
    const missing = all.filter((kind) => !known.has(keyOf(kind)));
    const shared = missing.filter((kind) => sources.has(sourceNameOf(kind)));
    const own = missing.filter((kind) => !sources.has(sourceNameOf(kind)));
    if (own.length > 0) objects.push(...sourceManifests(family, own, system));
    if (shared.length === 0) continue;
    const grants = shared.map((resource): Grant => ({ resource, verbs: ["get", "list", "watch"] }));
    objects.push(...furtherAccessOf({ name: `${family}-source`, labels }, system, grants));
    for (const [name, kinds] of Map.groupBy(shared, sourceNameOf)) {
      const patch = kinds.map((kind) => ({ op: "add", path: "/spec/resources/-", value: resourceOf(kind) }) as const);
      patches.push({ target: { kind: "ApiServerSource", name }, patch });
    }
  }
  return { objects, patches };
}

/**
 * Which pods a source reports: all but those of Holdfast's own functions, which come and go with every event and would
 * trigger each other for ever, and those of the sources' adapters, which come and go with namespaces. None of either
 * ever uses a claim.
 */
const othersPods = {
  matchExpressions: [
    { key: partOf, operator: "NotIn", values: [product] },
    { key: "eventing.knative.dev/source", operator: "NotIn", values: ["apiserver-source-controller"] },
  ],
};

function resourceOf({
  apiVersion,
  kind,
  plural,
  selector = apiVersion === "v1" && kind === "Pod" ? othersPods : undefined,
}: Kind & { readonly selector?: object }): object {
  if (guessedPlural(kind) !== plural)
    throw new Error(`An ApiServerSource cannot watch ${kind}: it would look for ${guessedPlural(kind)}.`);
  return { apiVersion, kind, ...(selector ? { selector } : {}) };
}

/**
 * The source does not look resource names up; it derives them from the kind, as client-go's UnsafeGuessKindToResource.
 */
function guessedPlural(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith("s")) return `${name}es`;
  return name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`;
}
