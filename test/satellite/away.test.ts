import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { root } from "../manifests/kustomization.ts";
import type { Administrator } from "./administrator.ts";
import { addressOf, type SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;
let admin: Administrator;
const node = "node-1";

onBed((opened, administrator) => {
  bed = opened;
  admin = administrator;
});

interface Away {
  readonly away: string;
  readonly works: string;
  readonly waits: string;
  /** How the message of SatelliteEvacuated goes on, or what it contains. */
  readonly says: string;
  leave(): void;
  /** Does what `works` says. */
  stillWorks(): Promise<void>;
}

async function anotherIsEvacuated(): Promise<void> {
  await bed.delete(LinstorSatellite, "node-2");
  await admin.replaced("node-2");
}

/** The table in functions/satellite/README.md is made of these. */
const all: readonly Away[] = [
  {
    away: "LINSTOR",
    works: "Machines get their hooks, and satellites their spec",
    waits: "registration, storage pools, evacuation and removal",
    says: "The evacuation waits for LINSTOR, which has been away since",
    leave: () => bed.linstor.stopController(),
    async stillWorks() {
      await bed.machine("other", "node-2");
      await admin.hooked("other");
    },
  },
  {
    away: "Cluster API's management cluster",
    works: "satellites without a Machine are evacuated",
    waits: "the evacuation of satellites whose Machine may carry our hooks",
    says: "The evacuation waits for Cluster API, which has been away since",
    leave: () => bed.cutOff(/cluster\.x-k8s\.io/),
    stillWorks: anotherIsEvacuated,
  },
  {
    away: "the satellite itself",
    works: "other satellites are evacuated",
    waits: "its own evacuation",
    says: "The satellite on node-1 is OFFLINE in LINSTOR, so that its copies cannot be moved from it.",
    leave: () => bed.linstor.stopSatellite(addressOf(node)),
    stillWorks: anotherIsEvacuated,
  },
];

test.each(all)("$away is away: $works, and the satellite says what it waits for", async (one) => {
  await bed.machine("control", "node-4", { labels: { "cluster.x-k8s.io/control-plane": "" } });
  await bed.machine("worker", node);
  await admin.hooked("worker");
  bed.linstor.addVolume("pvc-1", { copies: [node, "node-3"] });
  await bed.delete(Machine, "worker");
  await bed.until("LINSTOR was called", () => bed.calls.evacuate.length > 0);
  one.leave();
  await admin.says(node, "SatelliteEvacuated", new RegExp(one.says));
  await one.stillWorks();
  expect(await bed.get(Machine, "worker")).toBeDefined();
});

test("functions/satellite/README.md has the table of this", () => {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const head = row(["Away", "Still works", "Waits", "`SatelliteEvacuated` says"]) + row(["---", "---", "---", "---"]);
  const table = head + all.map(({ away, works, waits, says }) => row([away, works, waits, `*${says}*`])).join("");
  expect(readFileSync(`${root}/functions/satellite/README.md`, "utf8")).toContain(table);
});
