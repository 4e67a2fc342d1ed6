import { seededRandom } from "../../../eventing/random.ts";
import { entries } from "../../../functions/satellite/lib/linstor/answer.ts";
import { parseJson } from "../../../functions/satellite/lib/linstor/caller.ts";
import { createLinstor, type LinstorStandIn } from "../../../local/linstor/linstor.ts";
import { outcomeOf } from "../../../local/time/testing/outcome-of.ts";
import { type VirtualClock, virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import type { SystemRequest } from "../../../shared/system/transport.ts";

/** The address of a node's satellite. */
export const addressOf = (node: string) => `10.0.0.${node.at(-1)}`;

/** The stand-in as the recordings began: four nodes with pools, all ONLINE. */
export interface Harness {
  linstor: LinstorStandIn;
  clock: VirtualClock;
  /** Sends a request while time goes on, and gives out status and parsed body. */
  ask(method: SystemRequest["method"], path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** The same without waiting for the answer. */
  begin(method: SystemRequest["method"], path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

export async function openBed(nodes = ["node-1", "node-2", "node-3", "node-4"]): Promise<Harness> {
  const clock = virtualClock();
  const linstor = createLinstor({ clock, random: seededRandom(3), syncTime: 5_000 });
  const begin: Harness["begin"] = async (method, path, body) => {
    const content = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const answer = await linstor.transport({ method, path, headers: {}, ...content });
    return { status: answer.status, body: parseJson(answer.body) };
  };
  const ask: Harness["ask"] = (...call) => outcomeOf(clock, begin(...call), 60_000);
  for (const node of nodes) {
    linstor.startSatellite(addressOf(node));
    const net_interfaces = [
      { name: "default", address: addressOf(node), satellite_port: 3366, satellite_encryption_type: "Plain" },
    ];
    await ask("POST", "/v1/nodes", { name: node, type: "Satellite", net_interfaces });
    const props = { "StorDriver/StorPoolName": "/srv/pool" };
    await ask("POST", `/v1/nodes/${node}/storage-pools`, {
      storage_pool_name: "pool1",
      provider_kind: "FILE_THIN",
      props,
    });
  }
  return { linstor, clock, ask, begin };
}

/** What an answer comes to: its errors and warnings one by one. Of its other entries our client reads nothing. */
export function gist(body: unknown): readonly string[] {
  const all = Array.isArray(body) && body.length && "ret_code" in body[0] ? entries.parse(body) : [];
  const plain = (message: string | undefined) => message?.replace(/\s+/g, " ").trim();
  return all
    .filter(({ severity }) => severity === "error" || severity === "warning")
    .map(({ severity, code, message }) => `${severity} ${code} ${plain(message) ?? "-"}`);
}
