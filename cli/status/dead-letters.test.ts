import { expect, test } from "vitest";
import type { Client } from "../../shared/kubernetes/client.ts";
import { deadLetters } from "./dead-letters.ts";

test("where Holdfast is installed in another namespace, the command that replays an event names it", async () => {
  const client = { get: async () => ({ data: { "1.json": JSON.stringify({ received: 0 }) } }) } as unknown as Client;
  const { findings } = await deadLetters(client, "keeping", "holdfast-dead-letters", 1);
  expect(findings).toMatchObject([{ todo: expect.stringContaining("holdfast replay 1.json -n keeping.") }]);
});
