import { mostOfOne, mostUnattributed } from "../../functions/platform/dead-letter/ring-buffer.ts";
import type { SweepStatus } from "../../functions/platform/lib/sweep-status.ts";
import { type Kept, readKept, takenOf } from "../../functions/platform/lib/taken.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Finding } from "../output/finding.ts";

/** An event that no function took in the end. By its name in the ConfigMap `holdfast replay` finds it. */
interface DeadLettered extends Kept {
  /** The sweep has sent it again, and its function took it. */
  readonly isTaken: boolean;
}

/** The events that are kept for replay, the oldest first. */
export interface DeadLetters {
  readonly configMap: string;
  readonly events: readonly DeadLettered[];
}

/** Milliseconds for which a dead-lettered event is news. */
const news = 24 * 3_600_000;

/**
 * The dead-lettered events that are kept, and what to do about those of the last day that no function has taken since,
 * as far as the sweep's status says so. @throws ApiError
 */
export async function deadLetters(
  client: Client,
  namespace: string,
  configMap: string,
  now: number,
  sweep?: SweepStatus,
): Promise<{ readonly deadLettered: DeadLetters; readonly findings: readonly Finding[] }> {
  const kept = await client.get<KubernetesObject & { data?: Record<string, string> }>(ConfigMap, namespace, configMap);
  const found = Object.entries(kept?.data ?? {})
    .flatMap(([name, text]) => readKept(name, text) ?? [])
    .toSorted((a, b) => a.received.localeCompare(b.received));
  const taken = takenOf(found, kept?.data ?? {}, sweep, now);
  const events = found.map((one): DeadLettered => ({ ...one, isTaken: taken.has(one) }));
  const recent = events.filter(({ received, isTaken }) => !isTaken && now - Date.parse(received) < news);
  const byFunction = Map.groupBy(recent, ({ destination }) => destination);
  const findings = [...byFunction].map(([destination, of]): Finding => {
    const { name, about } = of.at(-1) as DeadLettered;
    const who = destination ? `The function ${destination.split(".")[0]}` : "A function that the broker does not name";
    const count = of.length === 1 ? "an event" : `${of.length} events`;
    const most = destination ? mostOfOne : mostUnattributed;
    const atMost = of.length < most ? "" : ` There may be more: at most ${most} in an hour are kept.`;
    const names = of.map(({ name }) => name);
    const replay = `holdfast replay ${name}${namespace === "holdfast" ? "" : ` -n ${namespace}`}`;
    const forget = JSON.stringify(names.map((one) => ({ op: "remove", path: `/data/${one}` })));
    return {
      what: `${who} did not take ${count} in the last day; the newest is about ${about || "no object"}.${atMost}`,
      todo:
        (of.length === 1
          ? `What it would do now: \`${replay}\`. When the cause is gone, add --act, and drop the event: `
          : `What it would do now with the newest: \`${replay}\`. When the cause is gone, replay each with ` +
            "--act (its name stands in the next command), and drop them: ") +
        `kubectl -n ${namespace} patch configmap ${configMap} --type=json -p '${forget}'`,
    };
  });
  return { deadLettered: { configMap, events }, findings };
}
