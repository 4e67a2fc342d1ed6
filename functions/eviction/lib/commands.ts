import { command } from "../../../shared/system/command.ts";
import type { Transfer } from "./agent-plan.ts";
import { OpenStackRefusal, unlessRefused } from "./openstack/answer.ts";
import type { Service as NetworkService } from "./openstack/neutron.ts";
import type { Nova } from "./openstack/nova.ts";
import { openstack } from "./openstack/system.ts";

interface Service {
  readonly service: string;
}
interface Named {
  readonly server: string;
}
type OnServer = (nova: Nova, server: string) => Promise<unknown>;

const onServer = (doc: string, act: OnServer) =>
  command(openstack, doc, async ({ nova }, { server }: Named) => void (await act(nova, server)));

/** Keeps new servers from a host. */
export const disableService = command(
  openstack,
  "disable nova-compute of a host",
  ({ nova }, { service, reason }: Service & { readonly reason: string }) => nova.disable(service, reason),
);

export const enableService = command(openstack, "enable nova-compute of a host", ({ nova }, { service }: Service) =>
  nova.enable(service),
);

/** Has Nova take a host for down, so that its servers can be evacuated; its nova-compute must not run meanwhile. */
export const forceDownService = command(
  openstack,
  "force nova-compute of a host down",
  ({ nova }, { service, reason }: Service & { readonly reason?: string }) => nova.forceDown(service, reason),
);

/** Refused while evacuations have yet to be settled by nova-compute's start: the next look sees them. */
export const endForcedDown = command(
  openstack,
  "end that nova-compute of a host is forced down",
  async ({ nova }, { service }: Service) => void (await unlessRefused(nova.endForcedDown(service), 400)),
);

/** 409: a change of power is under way, which the next look sees. */
export const powerOff = command(
  openstack,
  "turn a host off",
  async ({ ironic }, { node }: { readonly node: string }) => void (await unlessRefused(ironic.powerOff(node), 409)),
);

interface Evacuated extends Named {
  readonly host: string;
  /** The newest migration of the host when this was decided. */
  readonly after: number;
  readonly isShared: boolean;
}

/**
 * Looks once more before it asks: while an instance is held up between its look and this, another one may have asked,
 * and a second evacuation ruins the server.
 */
export const evacuateServer = command(
  openstack,
  "start a server of a dead host elsewhere",
  async ({ nova }, { server, host, after, isShared }: Evacuated) => {
    const seen = await nova.server(server);
    const migrations = await nova.migrations(host);
    if (seen?.host !== host || migrations.some((move) => move.server === server && move.id > after)) return;
    await nova.evacuate(server, isShared);
  },
);

/** Brings an evacuated server back to what it was; one that is something else already is left alone. */
const restoring = (doc: string, restore: OnServer) =>
  onServer(doc, async (nova, server) => {
    const seen = await nova.server(server);
    if (seen?.status === "ACTIVE" && seen.task === undefined) await restore(nova, server);
  });
export const setError = restoring("say that a server is in ERROR, as it was", (nova, id) => nova.setError(id));
export const stopServer = restoring("stop a server, as it was", (nova, id) => nova.stop(id));

const underWay = ["MIGRATING", "RESIZE", "VERIFY_RESIZE"];

/** A move that Nova refuses because the server is being moved already has not failed: the next look sees it. */
const moving = (doc: string, move: OnServer) =>
  onServer(doc, (nova, server) =>
    move(nova, server).catch(async (error) => {
      if (!(error instanceof OpenStackRefusal)) throw error;
      const seen = await nova.server(server);
      if (seen && !underWay.includes(seen.status) && seen.task === undefined) throw error;
    }),
  );
export const moveLive = moving("move a server while it runs", (nova, id) => nova.liveMigrate(id));
export const moveCold = moving("move a server that is off", (nova, id) => nova.coldMigrate(id));

/** A confirmation that comes too early, or twice, is refused in three ways: all mean to look again. */
export const confirmMove = onServer("confirm a server's move", (nova, id) => unlessRefused(nova.confirmMove(id)));

/** A router that is on one agent alone is on none between two requests: one command makes that short. */
export const transfer = command(
  openstack,
  "have another agent serve what an agent serves",
  async ({ neutron }, { service, id, before, add, after }: Transfer & { readonly service: NetworkService }) => {
    for (const agent of before) await neutron.remove(service, agent, id);
    if (add !== undefined) await neutron.add(service, add, id);
    // Another one may have been refused: what is served by this one alone stays.
    const agents = after.length > 0 ? await neutron.agentsOf(service, id) : [];
    const isServed = agents?.some(({ id, isAlive }) => isAlive && !after.includes(id)) ?? false;
    for (const agent of isServed ? after : []) await neutron.remove(service, agent, id);
  },
);

interface AgentState {
  readonly agent: string;
  readonly isEnabled: boolean;
  readonly description: string;
}

export const enableAgent = command(
  openstack,
  "enable or disable an agent of Neutron",
  ({ neutron }, { agent, isEnabled, description }: AgentState) => neutron.enable(agent, isEnabled, description),
);
