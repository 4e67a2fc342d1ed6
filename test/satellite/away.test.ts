import { expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { holdOutageTable } from "../scenarios/outage-table.ts";
import { addressOf } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

const node = "node-1";

withHarness();

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
  await harness.delete(LinstorSatellite, "node-2");
  await admin.replaced("node-2");
}

/** The table in functions/satellite/README.md is made of these. */
const all: readonly Away[] = [
  {
    away: "LINSTOR",
    works: "Machines get their hooks, and satellites their spec",
    waits: "registration, storage pools, evacuation and removal",
    says: "The evacuation waits for LINSTOR, which has been away since",
    leave: () => harness.linstor.stopController(),
    async stillWorks() {
      await harness.machine("other", "node-2");
      await admin.hooked("other");
    },
  },
  {
    away: "Cluster API's management cluster",
    works: "satellites without a Machine are evacuated",
    waits: "the evacuation of satellites whose Machine may carry our hooks",
    says: "The evacuation waits for Cluster API, which has been away since",
    leave: () => harness.cutOff(/cluster\.x-k8s\.io/),
    stillWorks: anotherIsEvacuated,
  },
  {
    away: "the satellite itself",
    works: "other satellites are evacuated",
    waits: "its own evacuation",
    says: "The satellite on node-1 is OFFLINE in LINSTOR, so that its copies cannot be moved from it.",
    leave: () => harness.linstor.stopSatellite(addressOf(node)),
    stillWorks: anotherIsEvacuated,
  },
];

test.each(all)("$away is away: $works, and the satellite says what it waits for", async (one) => {
  await admin.hookedMachine(node);
  harness.linstor.addVolume("pvc-1", { copies: [node, "node-3"] });
  await harness.delete(Machine, "worker");
  await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
  one.leave();
  await admin.says(node, "SatelliteEvacuated", new RegExp(one.says));
  await one.stillWorks();
  expect(await harness.get(Machine, "worker")).toBeDefined();
});

test("the README has the table of these scenarios", () => {
  holdOutageTable(
    "satellite",
    all.map(({ says, ...row }) => ({ ...row, says: `\`SatelliteEvacuated\`: *${says}*` })),
  );
});
