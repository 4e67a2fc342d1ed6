import { z } from "zod";
import { codes, type Entry } from "./answer.ts";
import type { Caller } from "./caller.ts";
import {
  type LinstorNode,
  linstorNode,
  type Resource,
  type ResourceDefinition,
  type ResourceGroup,
  resource,
  resourceDefinition,
  resourceGroup,
  type Snapshot,
  type StoragePool,
  snapshot,
  storagePool,
} from "./objects.ts";

/** How a satellite is reached. */
export interface Address {
  /** Of the net interface: `default` for a satellite's own. */
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Without it LINSTOR refuses the port (603 or 609). */
  readonly encryption: "Plain" | "SSL";
}

export interface PropertyChanges {
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

/**
 * Where the copies of an evacuated node may go. The two exclude each other; unknown names alone are no restriction at
 * all.
 */
export type Targets =
  | { readonly target?: readonly string[]; readonly avoid?: never }
  | { readonly avoid?: readonly string[] };

/**
 * What is asked of LINSTOR. Reads give out `undefined` where LINSTOR says that there is no such thing. Commands give
 * out LINSTOR's entries, warnings among them, and prove nothing: read afterwards. All throw SystemError, and its
 * LinstorError when LINSTOR itself has answered with errors.
 */
export interface Linstor {
  /** Its root, in the notation of `address.ts`. */
  readonly url: string;
  version(): Promise<string>;
  readonly controller: {
    properties(): Promise<Readonly<Record<string, string>>>;
    modify(changes: PropertyChanges): Promise<readonly Entry[]>;
  };
  readonly nodes: {
    list(): Promise<readonly LinstorNode[]>;
    get(node: string): Promise<LinstorNode | undefined>;
    /**
     * Registers a satellite; takes up to two seconds, because LINSTOR tries to connect first. Never an address that
     * another node has: the two would flap, and LINSTOR has shown killed satellites as ONLINE afterwards.
     */
    create(node: string, address: Address, props?: Readonly<Record<string, string>>): Promise<readonly Entry[]>;
    setAddress(node: string, address: Address): Promise<readonly Entry[]>;
    /** Sets and removes properties; keys outside `Aux/` must be known to LINSTOR. */
    modify(node: string, changes: PropertyChanges): Promise<readonly Entry[]>;
    /**
     * Begins to move all that is on a node. **Never twice at a time**, and not again before all that it had begun is
     * UpToDate: a second call in flight has deleted the only good copy. Goes on when we no longer listen.
     */
    evacuate(node: string, targets?: Targets): Promise<readonly Entry[]>;
    /** Takes EVACUATE or EVICTED back. Does not stop copies that are on their way: their sources still go. */
    restore(node: string): Promise<readonly Entry[]>;
    /** Deletes a node. With resources still on it they are deleted as well, the last copy among them. */
    delete(node: string): Promise<readonly Entry[]>;
    /** Gives a node up with all that is on it. Refused (506) while it is connected. */
    lose(node: string): Promise<readonly Entry[]>;
  };
  readonly resources: {
    /** All that is on a node; `undefined` when LINSTOR does not know the node. */
    onNode(node: string): Promise<readonly Resource[] | undefined>;
    /** Every copy, on whichever node, of these definitions. */
    of(definitions: readonly string[]): Promise<readonly Resource[]>;
  };
  readonly snapshots: {
    /** `[]` for a node that LINSTOR does not know, too. */
    onNode(node: string): Promise<readonly Snapshot[]>;
  };
  readonly definitions: {
    list(): Promise<readonly ResourceDefinition[]>;
    groups(): Promise<readonly ResourceGroup[]>;
  };
  readonly pools: {
    /** `undefined` when LINSTOR does not know the node. */
    onNode(node: string): Promise<readonly StoragePool[] | undefined>;
    /** Not atomic: where the satellite cannot use it the answer is an error, and the pool stays. */
    create(
      node: string,
      pool: string,
      provider: string,
      props: Readonly<Record<string, string>>,
    ): Promise<readonly Entry[]>;
    modify(node: string, pool: string, changes: PropertyChanges): Promise<readonly Entry[]>;
    delete(node: string, pool: string): Promise<readonly Entry[]>;
  };
}

/** Names of definitions in one query: a URL has to stay below 8 KiB. */
const perQuery = 50;

/** LINSTOR's API as far as satellites need it, over its dialect of HTTP. */
export function linstorClient({ read, find, write }: Caller, url: string): Linstor {
  const list = <T>(path: string, item: z.ZodType<T>) => read(path, z.array(item));
  const nodePath = (node: string, rest = "") => `/v1/nodes/${encodeURIComponent(node)}${rest}`;
  const poolPath = (node: string, pool: string) => nodePath(node, `/storage-pools/${encodeURIComponent(pool)}`);

  return {
    url,

    version: async () => (await read("/v1/controller/version", z.object({ version: z.string() }))).version,

    controller: {
      properties: () => read("/v1/controller/properties", z.record(z.string(), z.string())),
      modify: (changes) => write("POST", "/v1/controller/properties", changesOf(changes)),
    },

    nodes: {
      list: () => list("/v1/nodes", linstorNode),
      get: (node) => find(nodePath(node), linstorNode, codes.unknownNode),
      create: (node, address, props) => {
        const body = { name: node, type: "Satellite", net_interfaces: [interfaceOf(address)] };
        return write("POST", "/v1/nodes", { ...body, ...(props ? { props } : {}) });
      },
      setAddress: (node, address) =>
        write("PUT", nodePath(node, `/net-interfaces/${encodeURIComponent(address.name)}`), interfaceOf(address)),
      modify: (node, changes) => write("PUT", nodePath(node), changesOf(changes)),
      evacuate: (node, targets = {}) => write("PUT", nodePath(node, "/evacuate"), targetsOf(targets)),
      restore: (node) => write("PUT", nodePath(node, "/restore"), {}),
      delete: (node) => write("DELETE", nodePath(node)),
      lose: (node) => write("DELETE", nodePath(node, "/lost")),
    },

    resources: {
      onNode: (node) =>
        find(`/v1/view/resources?nodes=${encodeURIComponent(node)}`, z.array(resource), codes.unknownNode),
      async of(definitions) {
        const found: Resource[] = [];
        // An empty query would list everything.
        for (let from = 0; from < definitions.length; from += perQuery) {
          const names = definitions.slice(from, from + perQuery).map((name) => `resources=${encodeURIComponent(name)}`);
          found.push(...(await list(`/v1/view/resources?${names.join("&")}`, resource)));
        }
        return found;
      },
    },

    snapshots: {
      onNode: (node) => list(`/v1/view/snapshots?nodes=${encodeURIComponent(node)}`, snapshot),
    },

    definitions: {
      list: () => list("/v1/resource-definitions", resourceDefinition),
      groups: () => list("/v1/resource-groups", resourceGroup),
    },

    pools: {
      onNode: (node) => find(nodePath(node, "/storage-pools"), z.array(storagePool), codes.unknownNode),
      create: (node, pool, provider, props) =>
        write("POST", nodePath(node, "/storage-pools"), { storage_pool_name: pool, provider_kind: provider, props }),
      modify: (node, pool, changes) => write("PUT", poolPath(node, pool), changesOf(changes)),
      delete: (node, pool) => write("DELETE", poolPath(node, pool)),
    },
  };
}

function interfaceOf({ name, address, port, encryption }: Address) {
  return { name, address, satellite_port: port, satellite_encryption_type: encryption };
}

/** Unknown fields are refused, so that nothing is sent but what is meant. */
function changesOf({ set, remove }: PropertyChanges) {
  return { ...(set ? { override_props: set } : {}), ...(remove ? { delete_props: remove } : {}) };
}

function targetsOf(targets: Targets) {
  if (targets.avoid) return { do_not_target: targets.avoid };
  return "target" in targets && targets.target ? { target: targets.target } : {};
}
