import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";
import type { SystemRequest } from "../../shared/system/transport.ts";
import { catchUp } from "./delete-resource.ts";
import { diskState, emptyDatabase, isDiskless, type Node, type Resource, type Satellite, same } from "./model.ts";
import { resume, settle } from "./replacement.ts";
import { answer } from "./routes.ts";
import { findNode, newResource, resourcesOf, satelliteOf, type World } from "./world.ts";

export interface LinstorOptions {
  clock: Clock;
  random: Random;
  /** Milliseconds that a replacement takes to synchronise; 5,000 by default. */
  syncTime?: number;
}

/** A volume as it stands before a scenario begins. */
export interface VolumeOptions {
  /** Nodes with a good copy. */
  copies: readonly string[];
  /** Nodes that use it without one. */
  clients?: readonly string[];
  tieBreaker?: string;
  placeCount?: number;
  /** Without DRBD it can be neither moved nor counted. */
  drbd?: boolean;
}

/** A LINSTOR controller with its satellites, and the hands that a test has in it. */
export type LinstorStandIn = ReturnType<typeof createLinstor>;

const second = 1000;
/** As it was seen. */
const usualDeployTime = 2 * second;
const diskless = { disk: "Diskless", pool: "DfltDisklessStorPool" };

/** A stand-in for a LINSTOR controller 1.33 and its satellites, as `README.md` says how far. */
export function createLinstor({ clock, random, syncTime = 5 * second }: LinstorOptions) {
  const world: World = {
    clock,
    random,
    syncTime,
    deployTime: usualDeployTime,
    database: emptyDatabase(),
    satellites: new Map(),
    migrations: new Set(),
  };
  let up = true;
  /** Of the controller's life: what was begun in an earlier one is not heard of. */
  let life = new AbortController();

  const nodesAt = (address: string) => world.database.nodes.filter((node) => node.interface.address === address);
  const satelliteAt = (address: string) => [...world.satellites].find(([key]) => key.startsWith(`${address}:`))?.[1];

  function connect(name: string, delay = 500): void {
    const node = findNode(world, name);
    if (!node) return;
    const satellite = satelliteOf(world, node);
    if (!up || !satellite?.running || satellite.hanging || node.connection !== "OFFLINE") return;
    // A satellite serves one node; the second of an address does not connect here.
    if (nodesAt(node.interface.address).some((other) => other !== node && other.connection !== "OFFLINE")) return;
    const { signal } = life;
    node.connection = "CONNECTED";
    clock.after(delay, () => {
      if (signal.aborted || node.connection !== "CONNECTED") return;
      Object.assign(node, { connection: "ONLINE", offlineSince: undefined });
      node.props.NodeUname = node.name;
      catchUp(world, node.name);
      resume(world, node.name);
    });
  }

  function disconnect(node: Node): void {
    Object.assign(node, { connection: "OFFLINE", offlineSince: clock.now() });
    // What waited for a replacement there is forgotten; a source that is away does not matter.
    for (const migration of world.migrations) if (same(migration.target, node.name)) world.migrations.delete(migration);
    const since = node.offlineSince;
    clock.after(3_600 * second, () => {
      const allowed = /^true$/i.test(world.database.props["DrbdOptions/AutoEvictAllowEviction"] ?? "");
      if (up && allowed && node.offlineSince === since && world.database.nodes.includes(node)) evict(node);
    });
  }

  function evict(node: Node): void {
    for (const flag of ["DELETE", "EVICTED"]) node.flags.add(flag);
    for (const resource of world.database.resources.filter((one) => same(one.node, node.name)))
      for (const flag of ["INACTIVE", "EVICTED"]) resource.flags.add(flag);
  }

  function copy(name: string, node: string, more: Partial<Resource>): void {
    const pool = world.database.pools.find((one) => same(one.node, node))?.name ?? "pool1";
    world.database.resources.push(newResource(world, name, node, { pool, deployed: true, disk: "UpToDate", ...more }));
  }

  const known = (name: string, node: string): Resource => {
    const found = resourcesOf(world, name).find((one) => same(one.node, node));
    if (!found) throw new Error(`There is no ${name} on ${node}.`);
    return found;
  };

  return {
    async transport(request: SystemRequest) {
      const { signal } = life;
      await Promise.resolve();
      if (!up) throw Object.assign(new Error("connect ECONNREFUSED"), { unsent: true });
      const { status, body } = await answer(world, request, connect);
      // Carried out or not: who asked does not hear of it.
      if (signal.aborted) throw new Error("socket hang up");
      return { status, headers: { "content-type": "application/json" }, body: toJson(body) };
    },

    /** Starts a satellite process; a node that is registered at its address connects. */
    startSatellite(address: string, options: Partial<Satellite> = {}) {
      const fresh = { running: true, hanging: false, failing: false, directories: new Set(["/srv/pool"]) };
      world.satellites.set(`${address}:${3366}`, { ...fresh, ...options });
      // The controller tries again every ten seconds.
      for (const { name } of nodesAt(address)) clock.after(10 * second, () => connect(name, second));
    },
    /** Kills it: its node is OFFLINE within a second. */
    stopSatellite(address: string) {
      const satellite = satelliteAt(address);
      if (satellite) satellite.running = false;
      for (const node of nodesAt(address)) clock.after(second, () => !satellite?.running && disconnect(node));
    },
    /** Stops it in the middle, connection open: its node is OFFLINE after 6.6 seconds. */
    hangSatellite(address: string) {
      const satellite = satelliteAt(address);
      if (satellite) satellite.hanging = true;
      for (const node of nodesAt(address)) clock.after(6.6 * second, () => satellite?.hanging && disconnect(node));
    },
    /** Milliseconds that replacements take until they are deployed, and their call is answered; 2,000 by default. */
    setDeployTime(milliseconds: number = usualDeployTime) {
      world.deployTime = milliseconds;
    },
    /** Its devices cannot be taken down, or can again. */
    setFailing(address: string, failing: boolean) {
      const satellite = satelliteAt(address);
      if (satellite) satellite.failing = failing;
    },

    addVolume(
      name: string,
      { copies, clients = [], tieBreaker, placeCount = copies.length, drbd = true }: VolumeOptions,
    ) {
      const group = `group-of-${placeCount}`;
      world.database.groups.set(group, { placeCount, uuid: world.random.uuid() });
      world.database.definitions.push({ name, group, uuid: world.random.uuid(), props: {}, drbd });
      for (const node of copies) copy(name, node, {});
      for (const node of clients) this.addClient(name, node);
      const flags = new Set(["DISKLESS", "DRBD_DISKLESS", "TIE_BREAKER"]);
      if (tieBreaker) copy(name, tieBreaker, { ...diskless, flags });
    },
    /** Another good copy, as a person makes one. */
    addCopy: (name: string, node: string) => copy(name, node, {}),
    /** Of the resource group that a volume is of. */
    setPlaceCount(name: string, placeCount: number) {
      const definition = world.database.definitions.find((one) => one.name === name);
      world.database.groups.set(definition?.group ?? "", { placeCount, uuid: world.random.uuid() });
    },
    /** Makes a volume available on a node without a copy, as the CSI driver does when it is attached there. */
    addClient: (name: string, node: string) =>
      copy(name, node, { ...diskless, flags: new Set(["DISKLESS", "DRBD_DISKLESS"]) }),
    /** Takes such a client off; what has a disk meanwhile stays. */
    removeClient(name: string, node: string) {
      const isClient = (one: Resource) => one.name === name && same(one.node, node) && isDiskless(one);
      const isAtRest = ({ inUse, flags }: Resource) => !inUse && !flags.has("TIE_BREAKER") && !flags.has("DISK_ADDING");
      world.database.resources = world.database.resources.filter((one) => !isClient(one) || !isAtRest(one));
    },
    addSnapshot(name: string, resource: string, nodes: readonly string[]) {
      world.database.snapshots.push({ name, resource, uuid: world.random.uuid(), nodes: [...nodes] });
    },
    /** Deletes a snapshot's part on a node, as `linstor snapshot delete` does. */
    deleteSnapshot(name: string, resource: string, node: string) {
      const found = world.database.snapshots.find((one) => one.name === name && one.resource === resource);
      if (found) found.nodes = found.nodes.filter((one) => !same(one, node));
    },
    hasSnapshot: (node: string) => world.database.snapshots.some(({ nodes }) => nodes.some((one) => same(one, node))),
    /** Mounts or unmounts a volume on a node. */
    setInUse(name: string, node: string, inUse: boolean) {
      const resource = known(name, node);
      resource.inUse = inUse;
      if (inUse) return;
      for (const migration of world.migrations) {
        if (migration.definition !== name || !same(migration.source, node)) continue;
        const target = resourcesOf(world, name).find((one) => one.node === migration.target);
        const finished = target && !isDiskless(target) && (!target.sync || clock.now() >= target.sync.until);
        if (finished && target.deployed) settle(world, migration);
      }
    },
    setDisk(name: string, node: string, state: string) {
      Object.assign(known(name, node), { disk: state, sync: undefined });
    },
    /** The names of the nodes that are registered. */
    nodes: () => world.database.nodes.map(({ name }) => name),
    /** Whether a copy or client of the volume is on the node. */
    hasCopy: (name: string, node: string) => resourcesOf(world, name).some((one) => same(one.node, node)),
    /** Where good copies of a volume are, whether or not anybody is connected to say so. */
    goodCopies: (name: string) =>
      resourcesOf(world, name)
        .filter((one) => !isDiskless(one) && one.deployed && diskState(one, clock.now()) === "UpToDate")
        .map(({ node }) => node),
    /** Gives a node up, as LINSTOR does by itself after it was offline for an hour. */
    evict: (name: string) => {
      const node = findNode(world, name);
      if (node) evict(node);
    },

    /** Requests fail, and what the controller has in memory is gone. */
    stopController() {
      up = false;
      life.abort();
      world.migrations.clear();
    },
    /** Answers after 8 seconds; satellites connect one second later, and are ONLINE one after the other. */
    startController() {
      clock.after(8 * second, () => {
        up = true;
        life = new AbortController();
        for (const node of world.database.nodes)
          Object.assign(node, { connection: "OFFLINE", offlineSince: clock.now() });
        for (const [index, { name }] of world.database.nodes.entries())
          clock.after(second, () => connect(name, (1.5 + index * 0.4) * second));
      });
    },
  };
}

/** JSON with bigints as plain numbers of all their digits, as LINSTOR sends them. */
export function toJson(value: unknown): string {
  // In Node since 22; TypeScript's types do not have it yet.
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? rawJSON(String(part)) : part));
}
