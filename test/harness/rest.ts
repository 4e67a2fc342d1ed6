import { systemClock } from "../../shared/clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Namespace } from "../../shared/kubernetes/kind.ts";

/**
 * Lets so many milliseconds of real time pass, in which a cluster does all that it is going to do; more where this
 * machine or the API server is busy, which is asked every 100 ms: what others do takes longer there, too.
 */
export async function rest(admin: Client, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await systemClock.sleep(100);
    await admin.get(Namespace, undefined, "default", { metadataOnly: true });
  }
}
