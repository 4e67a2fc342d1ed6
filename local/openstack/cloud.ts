import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";

/** A host with its nova-compute. */
export interface Host {
  readonly id: string;
  readonly name: string;
  isEnabled: boolean;
  reason: string | null;
  isRunning: boolean;
  /** It counts as down, even while it reports. */
  isForcedDown: boolean;
  /** As Ironic has it. */
  power: "power on" | "power off";
  /** What Ironic is about to do. */
  target: "power off" | null;
  /** When it was started last, or stopped. Milliseconds since the epoch. */
  since: number;
  /** When the service was changed last, which Nova shows as a report. */
  changed: number;
}

export interface Instance {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  /** Its root disk was made of this image, on the host; without one it is a volume. */
  readonly image: string | undefined;
  /** A later host has made its root disk of the image again, and what was written is lost. */
  isRebuilt: boolean;
  status: string;
  task: string | null;
  host: string | null;
  fault: string | undefined;
  updated: number;
  /** Actions that have failed, the last one last: why. */
  readonly failures: string[];
}

export interface Move {
  readonly id: number;
  readonly uuid: string;
  readonly server: string;
  readonly type: "live-migration" | "migration" | "evacuation";
  readonly source: string;
  readonly created: number;
  /** What the server was before. */
  readonly before: string;
  target: string | null;
  status: string;
  updated: number;
}

export interface CloudOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly hosts: readonly string[];
  /** Milliseconds after its last heartbeat at which a nova-compute counts as down; Nova's own minute by default. */
  readonly downAfter?: number;
  /** Milliseconds that a live move copies memory; 5,000 by default. */
  readonly copying?: number;
  /** Disks on hosts lie on storage that all hosts share. */
  readonly isShared?: boolean;
}

export type Cloud = ReturnType<typeof createCloud>;

/** Milliseconds between heartbeats. */
const heartbeat = 3000;
/** What Nova waits for the answer of another host, and what a nova-compute that starts takes to finish moves. */
const rpcTimeout = 66_000;
const starting = 12_000;
const noValidHost = "No valid host was found. There are not enough hosts available.";

/** Hosts, servers and moves, as a Nova of release Zed with a fake hypervisor has shown them. */
export function createCloud(options: CloudOptions) {
  const { clock, random, hosts: names, downAfter = 60_000, copying = 5000, isShared = false } = options;
  const hosts = new Map<string, Host>();
  for (const name of names) {
    const up = { isEnabled: true, reason: null, isRunning: true, isForcedDown: false, since: clock.now(), changed: 0 };
    hosts.set(name, { id: random.uuid(), name, ...up, power: "power on", target: null });
  }
  const schedulers = { isUp: true };
  const instances = new Map<string, Instance>();
  const moves: Move[] = [];

  const reported = ({ isRunning, since }: Host) =>
    isRunning ? clock.now() - ((clock.now() - since) % heartbeat) : since;
  const isUp = (host: Host) => !host.isForcedDown && clock.now() - reported(host) < downAfter;
  const runs = (name: string | null) => (name !== null && hosts.get(name)?.isRunning) ?? false;
  const targetOf = (source: string) =>
    [...hosts.values()].find((host) => host.name !== source && host.isEnabled && isUp(host))?.name;

  const set = (instance: Instance, change: Partial<Instance>) => {
    Object.assign(instance, change, { updated: clock.now() });
  };
  const put = (move: Move, change: Partial<Move>) => {
    Object.assign(move, change, { updated: clock.now() });
  };
  const pass = (ms: number) => clock.sleep(ms);

  function begin(instance: Instance, type: Move["type"], status: string): Move {
    const now = clock.now();
    const ids = { id: moves.length + 1, uuid: random.uuid() };
    const at = { created: now, updated: now, target: null };
    const move: Move = {
      ...ids,
      ...at,
      server: instance.id,
      type,
      source: instance.host ?? "",
      before: instance.status,
      status,
    };
    moves.unshift(move);
    return move;
  }

  function failed(instance: Instance, move: Move, why: string): void {
    put(move, { status: "error" });
    set(instance, { status: move.before, task: null });
    instance.failures.push(why);
  }

  async function live(instance: Instance, move: Move): Promise<void> {
    await pass(300);
    const { source } = move;
    const target = targetOf(source);
    const isSourceUp = isUp(hosts.get(source) as Host);
    if (!isSourceUp || !target) {
      await pass(isSourceUp ? 300 : 2500);
      return failed(
        instance,
        move,
        isSourceUp ? noValidHost : `Compute service of ${source} is unavailable at this time.`,
      );
    }
    const isAhead = (other: Move) =>
      other !== move &&
      other.source === source &&
      other.type === move.type &&
      ["preparing", "running"].includes(other.status);
    put(move, { target });
    // One at a time from each host, as Nova's default has it.
    while (moves.some(isAhead)) {
      put(move, { status: "queued" });
      await pass(500);
    }
    put(move, { status: "preparing" });
    await pass(200);
    put(move, { status: "running" });
    await pass(copying);
    // No service updates the server's row any more.
    if (!runs(source)) return;
    if (!runs(target)) {
      await pass(rpcTimeout);
      put(move, { status: "completed" });
      while (!runs(target)) await pass(heartbeat);
      await pass(starting);
      return set(instance, { status: move.before, task: null, host: target });
    }
    set(instance, { status: move.before, task: null, host: target });
    await pass(400);
    put(move, { status: "completed" });
  }

  async function cold(instance: Instance, move: Move): Promise<void> {
    const target = targetOf(move.source);
    await pass(500);
    if (!target) return failed(instance, move, "No valid host was found. No valid host found for cold migrate");
    // The call waits in the queue of a process that is not there.
    if (!runs(move.source)) return;
    put(move, { target, status: "migrating" });
    await pass(500);
    put(move, { status: "post-migrating" });
    set(instance, { task: "resize_migrated", host: target });
    await pass(500);
    set(instance, { task: "resize_finish" });
    await pass(500);
    put(move, { status: "finished" });
    set(instance, { status: "VERIFY_RESIZE", task: null });
  }

  async function evacuate(instance: Instance, move: Move, isSaidShared: boolean | undefined): Promise<void> {
    await pass(500);
    const isRuined = () => instance.task === "rebuild_block_device_mapping";
    const target = targetOf(move.source);
    if (!target) {
      put(move, { status: "error" });
      instance.failures.push(noValidHost);
      return set(instance, { status: "ERROR", task: null, fault: noValidHost });
    }
    if (isRuined()) return;
    put(move, { status: "pre-migrating", target });
    await pass(500);
    if (isRuined()) return;
    if (isSaidShared && !(instance.image && isShared)) {
      put(move, { status: "failed" });
      return set(instance, { status: "ERROR", task: null, fault: "Invalid state of instance files on shared storage" });
    }
    if (instance.image && !isShared) instance.isRebuilt = true;
    set(instance, { task: "rebuild_spawning" });
    await pass(1000);
    if (isRuined()) return;
    // For a moment it is as it was before, and on the dead host.
    set(instance, { status: move.before === "SHUTOFF" ? "SHUTOFF" : "ACTIVE", task: null, fault: undefined });
    await pass(300);
    put(move, { status: "done" });
    await pass(300);
    set(instance, { host: target });
  }

  const refused = (what: string, { id }: Instance, why: string) => ({
    status: 409,
    message: `Cannot '${what}' instance ${id} while it is in ${why}`,
  });
  const vmState = ({ status }: Instance) =>
    ({ SHUTOFF: "stopped", VERIFY_RESIZE: "resized" })[status] ?? status.toLowerCase();

  return {
    hosts,
    instances,
    moves,
    schedulers,
    reported,
    now: () => clock.now(),
    isUp,

    boot(name: string, host: string | undefined, project: string, image?: string): Instance {
      const chosen = host ?? [...hosts.values()].find((each) => each.isEnabled)?.name ?? null;
      const begun = { status: "BUILD", task: "spawning", host: chosen, fault: undefined, updated: clock.now() };
      const instance: Instance = {
        ...{ id: random.uuid(), name, project, image, ...begun },
        ...{ isRebuilt: false, failures: [] },
      };
      instances.set(instance.id, instance);
      pass(1000).then(() => {
        const isFit = chosen !== null && (hosts.get(chosen)?.isEnabled ?? false);
        if (isFit) set(instance, { status: "ACTIVE", task: null });
        else set(instance, { status: "ERROR", task: null, host: null, fault: "No valid host was found. " });
      });
      return instance;
    },

    delete(instance: Instance): void {
      set(instance, { task: "deleting" });
      pass(500).then(() => instances.delete(instance.id));
    },

    /** Carries out an action; the answer's status, and a message with a refusal. */
    act(instance: Instance, action: string, argument: unknown): { status: number; message?: string } {
      const { status, task } = instance;
      if (action === "os-resetState") {
        set(instance, { status: (argument as { state: string }).state === "error" ? "ERROR" : "ACTIVE", task: null });
        return { status: 202 };
      }
      if (action === "confirmResize") {
        if (status !== "VERIFY_RESIZE")
          return refused(action, instance, task ? `task_state ${task}` : `vm_state ${vmState(instance)}`);
        const move = moves.find((each) => each.server === instance.id && each.status === "finished");
        if (!move) return { status: 400, message: "Instance has not been resized." };
        if (!isUp(hosts.get(move.source) as Host))
          return { status: 409, message: "Service is unavailable at this time." };
        put(move, { status: "confirming" });
        pass(500).then(() => {
          put(move, { status: "confirmed" });
          set(instance, { status: move.before, task: null });
        });
        return { status: 204 };
      }
      if (action === "evacuate") {
        if (isUp(hosts.get(instance.host ?? "") as Host))
          return { status: 400, message: `Compute service of ${instance.host} is still in use.` };
        if (["PAUSED", "SUSPENDED", "RESCUE", "VERIFY_RESIZE", "BUILD"].includes(status))
          return refused(action, instance, `vm_state ${vmState(instance)}`);
        const open = moves.find(
          (each) =>
            each.server === instance.id &&
            each.type === "evacuation" &&
            ["accepted", "pre-migrating"].includes(each.status),
        );
        const move = begin(instance, "evacuation", "accepted");
        if (open) {
          // Two at a time ruin the server.
          put(open, { status: "accepted", target: null });
          put(move, { status: "failed" });
          set(instance, {
            status: "REBUILD",
            task: "rebuild_block_device_mapping",
            host: targetOf(move.source) ?? null,
          });
          return { status: 200 };
        }
        set(instance, { status: "REBUILD", task: "rebuilding" });
        void evacuate(instance, move, (argument as { onSharedStorage?: boolean }).onSharedStorage);
        return { status: 200 };
      }
      if (task) return refused(action, instance, `task_state ${task}`);
      const fits: Record<string, readonly string[]> = {
        "os-migrateLive": ["ACTIVE", "PAUSED"],
        migrate: ["ACTIVE", "SHUTOFF"],
        "os-stop": ["ACTIVE", "ERROR"],
        pause: ["ACTIVE"],
      };
      if (!fits[action]) return { status: 400, message: `There is no such action: ${action}` };
      if (!fits[action].includes(status)) return refused(action, instance, `vm_state ${vmState(instance)}`);
      if (action === "os-stop" || action === "pause") {
        set(instance, { task: action === "pause" ? "pausing" : "powering-off" });
        pass(500).then(() => set(instance, { status: action === "pause" ? "PAUSED" : "SHUTOFF", task: null }));
      } else if (action === "os-migrateLive") {
        const move = begin(instance, "live-migration", "accepted");
        set(instance, { status: "MIGRATING", task: "migrating" });
        void live(instance, move);
      } else {
        if (!isUp(hosts.get(instance.host ?? "") as Host))
          return { status: 409, message: "Service is unavailable at this time." };
        const move = begin(instance, "migration", "pre-migrating");
        set(instance, { status: "RESIZE", task: "resize_prep" });
        void cold(instance, move);
      }
      return { status: 202 };
    },

    /** Stops or starts the nova-compute of a host. */
    run(name: string, isRunning: boolean): void {
      const host = hosts.get(name);
      if (!host || host.isRunning === isRunning) return;
      Object.assign(host, { since: isRunning ? clock.now() : reported(host), isRunning });
      // A nova-compute that starts puts away what was evacuated from its host.
      if (isRunning)
        pass(starting).then(() => {
          for (const move of moves)
            if (move.source === name && move.type === "evacuation" && move.status === "done")
              put(move, { status: "completed" });
        });
    },

    /** Ironic turns a host off: its nova-compute goes with it. */
    powerOff(host: Host): void {
      host.target = "power off";
      pass(3000).then(() => {
        this.run(host.name, false);
        Object.assign(host, { power: "power off", target: null });
      });
    },

    powerOn(name: string): void {
      Object.assign(hosts.get(name) ?? {}, { power: "power on" });
    },
  };
}
