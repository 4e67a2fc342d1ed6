import { expect } from "vitest";
import { caller } from "../../../functions/satellite/lib/linstor/caller.ts";
import { linstorClient } from "../../../functions/satellite/lib/linstor/client.ts";
import { linstorControllers } from "../../../functions/satellite/lib/linstor/controllers.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import type { Command } from "../../../shared/system/command.ts";
import { exchangeWith } from "../../../shared/system/exchange.ts";
import { exchange, responseOf } from "./recordings.ts";

/**
 * Sends a command to a LINSTOR that answers its requests as it was recorded, one by one, and holds method and path to
 * the recording.
 *
 * @returns the bodies that it was sent.
 */
export async function sent(command: Command, ...answers: readonly (readonly [file: string, operation: string])[]) {
  const bodies: unknown[] = [];
  const send = exchangeWith(
    "LINSTOR",
    async ({ method, path, body }) => {
      const recorded = exchange(...(answers[bodies.length] as [string, string]));
      expect(method).toBe(recorded.request.method);
      expect(path.split("/").length).toBe(recorded.request.path.split("/").length);
      bodies.push(JSON.parse(body ?? "null"));
      return responseOf(recorded);
    },
    virtualClock(),
    1000,
  );
  const own = linstorClient(caller(send, send), "http://linstor:3370");
  await command.send(
    linstorControllers(
      own,
      (root) => {
        throw new Error(`No test meant ${root}.`);
      },
      () => true,
    ),
    command.input,
  );
  return bodies;
}
