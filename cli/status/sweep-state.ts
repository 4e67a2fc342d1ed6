import { Cron } from "croner";
import { readStatus, type SweepStatus } from "../../functions/platform/lib/sweep-status.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { listServed } from "../../shared/uninstall/list-served.ts";
import type { Finding } from "../output/finding.ts";
import { when } from "../output/time.ts";

/** How far the sweep has come. */
export interface SweepState {
  /** RFC 3339: when the last sweep was; absent where there was none. */
  readonly last?: string;
  /** What it came to. */
  readonly because?: string;
  /** Milliseconds between two sweeps. */
  readonly period: number;
}

/** As shipped: every five minutes. */
const shippedPeriod = 300_000;
/** A sweep is late after so many of them have not come. */
const patience = 3;

const PingSource: Kind = {
  apiVersion: "sources.knative.dev/v1",
  kind: "PingSource",
  plural: "pingsources",
  namespaced: true,
};

/** When the last sweep was, and what is wrong with it. @throws ApiError */
export async function sweepState(
  client: Client,
  namespace: string,
  table: string,
  now: number,
): Promise<{ readonly sweep: SweepState; readonly findings: readonly Finding[]; readonly status?: SweepStatus }> {
  const period = await periodOf(client, namespace, now);
  const look = `kubectl -n ${namespace} describe configmap ${table}`;
  const configMap = await client.get<KubernetesObject>(ConfigMap, namespace, table);
  if (!configMap) {
    const what = `There is no ConfigMap ${namespace}/${table}, so the sweep does not know what to look for.`;
    return { sweep: { period }, findings: [{ what, todo: "Apply knative/platform again." }] };
  }
  const status = readStatus(configMap);
  const began = status?.at ?? configMap.metadata.creationTimestamp ?? "";
  const isLate = now - Date.parse(began) > patience * period;
  const late: Finding = {
    what: status
      ? `The last sweep was ${when(status.at, now)}, and one is due every ${period / 60_000} min. What events have ` +
        "missed waits for it, and so does everything that falls due."
      : `No sweep has come since the installation, ${when(began, now)}.`,
    todo:
      `Look at \`kubectl -n ${namespace} get pingsource\` (without Knative: \`kubectl -n ${namespace} logs ` +
      "deployment/platform-source`), and then at the log and the Events of platform-sweep.",
  };
  const wrong: Finding = { what: `The last sweep says: ${status?.because}`, todo: `Look at its Events: ${look}` };
  const findings = [...(isLate ? [late] : []), ...(status?.wrong?.length ? [wrong] : [])];
  const sweep = { period, ...(status ? { last: status.at, because: status.because } : {}) };
  return { sweep, findings, ...(status ? { status } : {}) };
}

/** Whether something that was due then should have been seen to by now. */
export const isOverdue = (next: string, now: number, { period }: SweepState): boolean =>
  now - Date.parse(next) > patience * period;

async function periodOf(client: Client, namespace: string, now: number): Promise<number> {
  const named = { namespace, labelSelector: "app.kubernetes.io/component=sweep" };
  try {
    type Scheduled = KubernetesObject & { spec?: { schedule?: string } };
    const [source] = await Array.fromAsync(listServed<Scheduled>(client, PingSource, named));
    const [first, second] = new Cron(source?.spec?.schedule ?? "", { timezone: "UTC" }).nextRuns(2, new Date(now));
    return first && second ? second.getTime() - first.getTime() : shippedPeriod;
  } catch {
    // It may not be read, or there is none, or Knative says on the source that its schedule is wrong.
    return shippedPeriod;
  }
}
