import { z } from "zod";
import { bodyOf } from "./answer.ts";
import type { Send } from "./session.ts";

const word = z.string().nullish();
const statesAnswer = z.object({ power_state: word, target_power_state: word, last_error: word });

export type Power = Awaited<ReturnType<Ironic["power"]>>;
export type Ironic = ReturnType<typeof ironicClient>;

/** What is asked of Ironic: power alone, of a machine by its name or uuid. All throw SystemError. */
export function ironicClient(send: Send) {
  // Names of machines came with 1.5, power is as old as the API.
  const headers = { "x-openstack-ironic-api-version": "1.9" };
  const ask = (method: "GET" | "PUT", path: string, body?: object) =>
    send("baremetal", rooted, { method, path: `/v1${path}`, headers, ...(body ? { body } : {}) });
  return {
    /** How a machine was powered when Ironic last saw it, in Ironic's words; `target` is what it is about to be. */
    async power(node: string) {
      const path = `/nodes/${encodeURIComponent(node)}/states`;
      const answer = bodyOf(await ask("GET", path), `GET /v1${path}`, statesAnswer);
      const { power_state: state, target_power_state: target, last_error: error } = answer;
      // On its way to any state, or if Ironic could not reach it, it may be what it was long ago.
      const isOff = state === "power off" && !target && !error;
      return { isOff, state: `${state ?? "unknown"}${error ? ` (${error})` : ""}`, target: target ?? undefined };
    },
    /** A hard power off. Its 202 says that it was taken; 409: something else is at work on the machine. */
    powerOff: async (node: string) =>
      void (await ask("PUT", `/nodes/${encodeURIComponent(node)}/states/power`, { target: "power off" })),
  };
}

const rooted = (url: string): string => url.replace(/\/+$/, "").replace(/\/v1$/, "");
