import { table } from "../table.ts";
import { measureEviction } from "./measure.ts";

const hosts = [
  [100, 5],
  [100, 30],
  [10, 30],
] as const;

/** Counts what Nova is asked while one compute node is evicted. */
export async function run(): Promise<void> {
  const rows = [];
  for (const [servers, seconds] of hosts) {
    const { took, requests, busiest } = await measureEviction(servers, seconds * 1000);
    const minutes = took / 60_000;
    const perServer = (requests / minutes / servers).toFixed(2);
    const cells = [minutes.toFixed(0), String(requests), perServer, (busiest / servers).toFixed(2)];
    rows.push({ what: `${servers} servers, ${seconds} s each`, cells });
  }
  console.log("Requests to Nova while the servers of one host move live; the last two for each server:\n");
  console.log(table(["", "minutes", "requests", "a minute", "in the busiest"], rows));
}
