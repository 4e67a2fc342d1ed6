import { z } from "zod";
import { bodyOf } from "./answer.ts";
import type { Send } from "./session.ts";

/** How a machine is powered, as Ironic has seen it; `target` is what it is about to be. */
export interface Power {
  readonly isOff: boolean;
  /** In Ironic's words. */
  readonly state: string;
  readonly target: string | undefined;
}

/** What is asked of Ironic: power alone. All throw SystemError. */
export interface Ironic {
  /** By the machine's name or uuid in Ironic. */
  power(node: string): Promise<Power>;
  /** A hard power off. Its 202 says that it was taken; 409: another change is under way. */
  powerOff(node: string): Promise<void>;
}

const statesAnswer = z.object({ power_state: z.string().nullish(), target_power_state: z.string().nullish() });

/** Ironic's API as far as evictions need it. */
export function ironicClient(send: Send): Ironic {
  // Names of machines came with 1.5, power is as old as the API.
  const headers = { "x-openstack-ironic-api-version": "1.9" };
  const ask = (method: "GET" | "PUT", path: string, body?: object) =>
    send("baremetal", rooted, { method, path: `/v1${path}`, headers, ...(body ? { body } : {}) });
  return {
    async power(node) {
      const path = `/nodes/${encodeURIComponent(node)}/states`;
      const { power_state: state, target_power_state: target } = bodyOf(
        await ask("GET", path),
        `GET /v1${path}`,
        statesAnswer,
      );
      // On its way to another state it is not off, even if it is at the moment.
      const isOff = state === "power off" && (!target || target === "power off");
      return { isOff, state: state ?? "unknown", target: target ?? undefined };
    },
    powerOff: async (node) =>
      void (await ask("PUT", `/nodes/${encodeURIComponent(node)}/states/power`, { target: "power off" })),
  };
}

const rooted = (url: string): string => url.replace(/\/+$/, "").replace(/\/v1$/, "");
