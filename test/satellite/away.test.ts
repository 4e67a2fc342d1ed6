import { expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { holdOutageTable, type OutageRow } from "../scenarios/outage-table.ts";
import { addressOf } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

const node = "node-1";

withHarness();

interface Away extends OutageRow {
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
    of: ["LINSTOR", "away"],
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
    of: ["Cluster API", "away"],
    works: "satellites without a Machine are evacuated",
    waits: "the evacuation of satellites whose Machine may carry our hooks",
    says: "The evacuation waits for Cluster API, which has been away since",
    leave: () => harness.cutOff(/cluster\.x-k8s\.io/),
    stillWorks: anotherIsEvacuated,
  },
  {
    away: "one Machine, in Cluster API's management cluster",
    of: ["Cluster API", "for one object"],
    works: "other satellites are evacuated",
    waits: "the evacuation of its satellite",
    says: "The evacuation waits for Cluster API, which has been away since",
    leave: () => harness.cutOff(/\/machines\/worker/),
    stillWorks: anotherIsEvacuated,
  },
  {
    away: "the satellite itself",
    of: ["LINSTOR", "for one object"],
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

/** Played elsewhere. */
const late: readonly OutageRow[] = [
  {
    away: "LINSTOR carries a call out after Holdfast has given it up",
    of: ["LINSTOR", "late"],
    works: "copies that LINSTOR places on a node that was registered again stay there",
    waits: "the removal of the node, until no earlier call can have an effect any more",
    says: "`SatelliteDeleted`: *may still take effect until*",
    playedBy: [
      "test/satellite/late-calls.test.ts",
      "a DELETE that LINSTOR carries out late leaves a node that was made again alone",
    ],
  },
  {
    away: "Cluster API's management cluster carries a write out after Holdfast has given it up",
    of: ["Cluster API", "late"],
    works: "Holdfast tries the write again. Cluster API refuses the late one, unless the Machine has not changed since",
    waits: "the evacuation, until a write is answered",
    says: "Event `ClusterAPIUnreachable`",
    playedBy: [
      "test/satellite/outages.test.ts",
      "and carries writes out minutes later: the satellite says so, and the end is the same",
    ],
  },
];

test("the README has the table of these scenarios", () => {
  holdOutageTable(
    "satellite",
    [...all.map(({ says, ...row }) => ({ ...row, says: `\`SatelliteEvacuated\`: *${says}*` })), ...late],
    ["LINSTOR", "Cluster API"],
  );
});
