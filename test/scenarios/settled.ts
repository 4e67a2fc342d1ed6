import type { World } from "../worlds/world.ts";

/** Lets time pass until, for a whole rest, nothing has reached a function and none has asked for anything. */
export async function settled({ deliveries, calls, rest }: World): Promise<void> {
  for (let before = -1; before !== deliveries.length + calls.length; ) {
    before = deliveries.length + calls.length;
    await rest();
  }
}
