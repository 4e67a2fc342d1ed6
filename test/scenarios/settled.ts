import type { Cluster } from "../harness/cluster.ts";

/**
 * Lets time pass until, for three whole rests, nothing has reached a function and none has asked for anything: on a
 * busy machine an event is longer than one under way.
 */
export async function settled({ deliveries, calls, rest }: Cluster): Promise<void> {
  const count = () => deliveries.length + calls.length;
  for (let quiet = 0, before = count(); quiet < 3; before = count()) {
    await rest();
    quiet = count() === before ? quiet + 1 : 0;
  }
}
