import { afterEach, beforeEach, expect, test } from "vitest";
import { LinstorSatellite, LinstorSatelliteConfiguration } from "../../functions/satellite/lib/kinds.ts";
import type { LinstorSatelliteObject } from "../../functions/satellite/lib/satellite.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { openSatelliteBed, type SatelliteBed } from "./bed.ts";

let bed: SatelliteBed;
const node = "node-1";

beforeEach(async () => {
  bed = await openSatelliteBed({ policy: "none" });
});
afterEach(async () => {
  await bed.stop();
  expect(bed.failures).toEqual([]);
});

interface Status {
  readonly appliedTo?: readonly string[];
  readonly matched?: number;
}
const specOf = async (name: string) => (await bed.get<LinstorSatelliteObject>(LinstorSatellite, name))?.spec;
const configure = (name: string, spec: object) =>
  bed.create(LinstorSatelliteConfiguration, { metadata: { name }, spec });
const statusOf = async (name: string) =>
  (await bed.get<KubernetesObject & { status?: Status }>(LinstorSatelliteConfiguration, name))?.status;

test("configurations that come, change and go reach the satellites that there are", async () => {
  await configure("00-all", { properties: [{ name: "Aux/x", value: "y" }] });
  await configure("01-zone-a", { nodeSelector: { zone: "a" }, deletionPolicy: "Evacuate" });
  await bed.until("all have the property", async () => (await specOf("node-4"))?.properties?.[0]?.value === "y");
  await bed.until("its status says so", async () => (await statusOf("00-all"))?.matched === 4);
  expect(await specOf(node)).toMatchObject({ deletionPolicy: "Retain" });

  await bed.merge(Node, node, { metadata: { labels: { zone: "a" } } });
  await bed.until("the zone evacuates", async () => (await specOf(node))?.deletionPolicy === "Evacuate");
  expect(await specOf("node-2")).toMatchObject({ deletionPolicy: "Retain" });
  await bed.until("its status says so", async () => {
    return (await statusOf("01-zone-a"))?.appliedTo?.join() === node;
  });

  await bed.merge(LinstorSatelliteConfiguration, "00-all", { spec: { properties: null } });
  await bed.delete(LinstorSatelliteConfiguration, "01-zone-a");
  await bed.until("nothing is left of them", async () => {
    const spec = await specOf(node);
    return spec?.deletionPolicy === "Retain" && !spec.properties;
  });
  const before = bed.history.length;
  await bed.clock.advance(300_000);
  expect(bed.history.slice(before)).toEqual([]);
});

test("a mistake in a configuration is said there, and changes no satellite before it is mended", async () => {
  await configure("all", { deletionPolicy: "Evacuate" });
  await bed.until("all evacuate", async () => (await specOf("node-4"))?.deletionPolicy === "Evacuate");
  const wrong = { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [] }] }] };
  await bed.merge(LinstorSatelliteConfiguration, "all", { spec: { nodeAffinity: wrong } });
  await bed.until("it says so", async () => JSON.stringify(await statusOf("all")).includes("without values"));
  expect(await specOf("node-4")).toMatchObject({ deletionPolicy: "Evacuate" });
  await bed.merge(LinstorSatelliteConfiguration, "all", { spec: { nodeAffinity: null, deletionPolicy: "Delete" } });
  await bed.until("all follow", async () => (await specOf("node-4"))?.deletionPolicy === "Delete");
  expect(JSON.stringify(await statusOf("all"))).toContain('"AsExpected"');
});
