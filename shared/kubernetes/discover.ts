import type { Client } from "./client.ts";
import type { Kind } from "./kind.ts";

/** A kind the server serves, with the verbs it allows. */
export interface ServedKind extends Kind {
  readonly verbs: readonly string[];
  /**
   * Whether this is the version the server prefers for the kind's group, or, if that one does not serve the kind, the
   * first that does. Other versions show the same objects.
   */
  readonly preferred: boolean;
  /** Other names that people give it: the singular, and short ones such as `pvc`. In lower case. */
  readonly aliases: readonly string[];
}

interface ResourceList {
  groupVersion: string;
  resources: {
    name: string;
    kind: string;
    namespaced: boolean;
    verbs: string[];
    singularName?: string;
    shortNames?: string[];
  }[];
}

interface GroupList {
  groups: { versions: { groupVersion: string }[]; preferredVersion?: { groupVersion: string } }[];
}

/**
 * Asks the server for every kind it serves, in all versions, subresources left out. A group that does not answer (an
 * aggregated API whose server is down) is left out and named to `failed`; otherwise rejects with an `ApiError`.
 */
export async function discover(
  client: Client,
  failed: (groupVersion: string, error: unknown) => void,
): Promise<ServedKind[]> {
  const { groups } = await client.request<GroupList>("GET", "/apis");
  const versions = groups.flatMap(({ versions, preferredVersion }) =>
    versions.map(({ groupVersion }) => ({
      path: `/apis/${groupVersion}`,
      preferred: groupVersion === (preferredVersion ?? versions[0])?.groupVersion,
    })),
  );
  const core = await readVersion(client, "/api/v1", true);
  const others = await Promise.all(
    versions.map(({ path, preferred }) =>
      readVersion(client, path, preferred).catch((error) => {
        failed(path, error);
        return [];
      }),
    ),
  );
  return [...core, ...withPreferred(others.flat())];
}

/** A group may serve a kind only in a version that it does not prefer, such as an alpha version. */
function withPreferred(kinds: readonly ServedKind[]): readonly ServedKind[] {
  const keyOf = ({ apiVersion, plural }: ServedKind) => `${plural}.${apiVersion.split("/")[0]}`;
  const seen = new Set(kinds.filter(({ preferred }) => preferred).map(keyOf));
  return kinds.map((kind) => {
    if (kind.preferred || seen.has(keyOf(kind))) return kind;
    seen.add(keyOf(kind));
    return { ...kind, preferred: true };
  });
}

async function readVersion(client: Client, path: string, preferred: boolean): Promise<ServedKind[]> {
  const { groupVersion, resources } = await client.request<ResourceList>("GET", path);
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind, namespaced, verbs, singularName, shortNames = [] }) => ({
      apiVersion: groupVersion,
      kind,
      plural: name,
      namespaced,
      verbs,
      preferred,
      aliases: [...new Set([singularName || kind.toLowerCase(), ...shortNames])],
    }));
}
