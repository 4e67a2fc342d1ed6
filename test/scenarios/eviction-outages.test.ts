import { describe, expect, onTestFinished, test } from "vitest";
import type { Cluster } from "../harness/cluster.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { boot, evict, isGone, locksOf, podOf, says, serving } from "./eviction/helpers.ts";
import { scenarios } from "./eviction/scenarios.ts";
import { besideOf, standInOpenStack } from "./eviction/settings.ts";
import { explaining } from "./explained.ts";
import { holdOutageTable, type OutageRow } from "./outage-table.ts";

/** Something that an eviction needs is away: a row of the table in the system's README, and its scenario. */
interface Outage extends Omit<OutageRow, "says"> {
  /** What the message of Converged has; absent where the eviction of a host that reports goes on. */
  readonly says?: string;
  /** The reason that Converged has then, where it is not `Dependency`. */
  readonly reason?: string;
  begin(cluster: Cluster): void;
  end(cluster: Cluster): void;
}

const running = "Servers that run; pods, locks and labels stay";
const every = "Each step of every eviction";
const away = "The eviction waits for OpenStack, which has been away since";

const outages: readonly Outage[] = [
  {
    away: "OpenStack",
    of: ["OpenStack", "away"],
    works: running,
    waits: every,
    says: away,
    begin: (cluster) => besideOf(cluster).standIn?.stop(),
    end: (cluster) => besideOf(cluster).standIn?.start(),
  },
  {
    away: "Keystone alone, when the token has expired",
    works: running,
    waits: every,
    says: away,
    begin(cluster) {
      const beside = besideOf(cluster);
      beside.standIn?.expireTokens();
      beside.tamper = (service) => (service === "keystone" ? { status: 503 } : undefined);
    },
    end(cluster) {
      besideOf(cluster).tamper = () => undefined;
    },
  },
  {
    away: "Nova's message queue: Nova answers, and loses the calls",
    works: running,
    waits: "Moves of servers. Holdfast asks Nova for them again every few minutes",
    says: "Nova has done nothing about",
    reason: "InProgress",
    begin(cluster) {
      besideOf(cluster).wire.step = async (request, send) => {
        if (!request.body?.includes("os-migrateLive")) return send();
        throw new Error("socket hang up");
      };
    },
    end(cluster) {
      besideOf(cluster).wire.step = (_, send) => send();
    },
  },
  {
    away: "Ironic",
    works: "Evictions of hosts that report to Nova",
    waits: "Evictions of hosts that are down and that Ironic has to turn off",
    begin: (cluster) => besideOf(cluster).standIn?.stop("ironic"),
    end: (cluster) => besideOf(cluster).standIn?.start(),
  },
];

/** Played elsewhere. */
const others: readonly OutageRow[] = [
  {
    away: "OpenStack, for one host alone",
    of: ["OpenStack", "for one object"],
    works: "Evictions of other hosts",
    waits: "Each step of the eviction of this host",
    says: `\`Converged\`, \`Dependency\`: *${away}*`,
    playedBy: [
      scenarios,
      "a host of which Nova says nothing waits and says so, and keeps no other host from being cleared",
    ],
  },
  {
    away: "OpenStack carries out a call after Holdfast has given it up",
    of: ["OpenStack", "late"],
    works: "The eviction goes on, and you can call it off",
    waits: "Nothing. About ten minutes later, Holdfast reverts what the late call has changed",
    says: "the condition `Enabled`",
    playedBy: [
      scenarios,
      "a host that a late call disables after its eviction was called off is enabled again ten minutes later",
    ],
  },
];

describe("while something is away that an eviction needs", () => {
  const { open, prove } = explaining(openCluster, standInOpenStack);
  test.each(outages)("$away: what waits says so, and comes to its end afterwards", async (outage) => {
    const cluster = await open(standInOpenStack, { whenOver: onTestFinished });
    await serving(cluster);
    await boot(cluster, 1);
    outage.begin(cluster);
    await evict(cluster);
    if (outage.says) {
      await says(cluster, outage.says);
      expect(await podOf(cluster)).toBeDefined();
      expect(await locksOf(cluster)).toContain("NovaComputeNode");
    } else await isGone(cluster);
    outage.end(cluster);
    await isGone(cluster);
    await cluster.stop();
  });

  prove();

  test("the README has the table of these scenarios", () => {
    const rows = outages.map(({ says, reason = "Dependency", ...row }) => {
      const shown = says ? `\`Converged\`, \`${reason}\`: *${says}*` : "as for OpenStack, on these hosts";
      return { ...row, says: shown };
    });
    holdOutageTable("eviction", [...rows, ...others], ["OpenStack"]);
  });
});
