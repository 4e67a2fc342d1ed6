import { describe, expect, test } from "vitest";
import type { ConfiguredSatellite } from "../../functions/satellite/lib/configuration/configured-satellite.ts";
import {
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
} from "../../functions/satellite/lib/kinds.ts";
import { linstorKey } from "../../functions/satellite/lib/linstor-note.ts";
import { satelliteFinalizer } from "../../functions/satellite/lib/satellite.ts";
import { ConfigMap } from "../../shared/kubernetes/kind.ts";
import { proveTheseAreMade } from "../scenarios/rights.ts";
import { workloads } from "./harness.ts";
import { harness, withHarness } from "./with-harness.ts";
import { writesMade } from "./writes-made.ts";

// What the other tests of satellites have no occasion for, of what functions declare that they write.
const node = "node-1";

describe("satellites that stay", () => {
  const asked = withHarness();

  test("each field of a configuration and of the LinstorCluster reaches the satellite and its ConfigMap", async () => {
    const patch = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "satellite-config", annotations: { "example.com/rack": "5" } },
      binaryData: { "extra.bin": "AAE=" },
    };
    const spec = {
      properties: [{ name: "Aux/rack", value: "5" }],
      storagePools: [
        { name: "pool1", fileThinPool: { directory: "/srv/pool" }, properties: [{ name: "Aux/a", value: "b" }] },
      ],
      patches: [{ target: { kind: "ConfigMap", name: "satellite-config" }, patch: JSON.stringify(patch) }],
      ipFamilies: ["IPv4"],
      evacuationStrategy: { attachedVolumeReattachTimeout: "5m" },
      internalTLS: { secretName: "own" },
    };
    await harness.merge(LinstorSatelliteConfiguration, "000-harness", { spec });
    await harness.merge(LinstorCluster, "linstorcluster", {
      spec: { repository: "registry.example/linstor", apiTLS: { clientSecretName: "client" } },
    });
    const specOf = async () => (await harness.get<ConfiguredSatellite>(LinstorSatellite, node))?.spec;
    await harness.until("its spec follows", async () => {
      const live = await specOf();
      return JSON.stringify(live?.clusterRef).includes("client") && live?.repository && live.internalTLS;
    });
    expect(await specOf()).toMatchObject({ ...spec, repository: "registry.example/linstor" });
    await harness.until("its ConfigMap follows", async () => {
      const live = await harness.client.get(ConfigMap, workloads, `linstor-satellite.${node}`);
      return live?.metadata.annotations?.["example.com/rack"] === "5" && live.binaryData;
    });
  });

  test("a satellite whose finalizer a person has removed is held again", async () => {
    await harness.merge(LinstorSatellite, node, { metadata: { finalizers: null } });
    await harness.until("it is held", async () =>
      (await harness.get(LinstorSatellite, node))?.metadata.finalizers?.includes(satelliteFinalizer),
    );
  });

  proveTheseAreMade("satellite", asked, writesMade["declared-writes.test.ts"]);
});

describe("satellites that are given up", () => {
  const asked = withHarness({ policy: "Delete" });

  test("one that does not say in which LINSTOR it is says so before it is removed there", async () => {
    await harness.delete(LinstorSatellite, node);
    await harness.merge(LinstorSatellite, node, { metadata: { annotations: { [linstorKey]: null } } });
    await harness.until("it is gone", () =>
      harness.history.some((line) => /remove-lost.* gets a note that says in which LINSTOR/.test(line)),
    );
  });

  proveTheseAreMade("satellite", asked, writesMade["declared-writes.test.ts, given up"]);
});
