import { expect, test } from "vitest";
import { anotherLinstor } from "./another-linstor.ts";
import { aSatellite } from "./testing/seen.ts";

const own = "http://linstor-controller.piraeus-datastore.svc:3370";
const cluster = (url?: string) =>
  ({ metadata: { name: "linstorcluster" }, spec: url ? { externalController: { url } } : {} }) as never;

test.each([
  ["none is named", undefined, own],
  ["the same one is named", own, own],
  ["the same one is named with a slash", `${own}/`, own],
  ["the same one is named in capitals", own.replace("linstor-c", "LINSTOR-C"), own],
  ["the port is the usual one", "http://linstor", "http://linstor:3370"],
  ["the port is the usual one for TLS", "https://linstor", "https://linstor:3371"],
])("is ours where %s", (_, named, url) => {
  expect(anotherLinstor(aSatellite(), cluster(named), url)).toBeUndefined();
});

test.each([
  ["host", "http://other:3370"],
  ["port", own.replace("3370", "3380")],
  ["protocol", "https://linstor-controller.piraeus-datastore.svc:3371"],
  ["path", `${own}/other`],
  ["notation, which cannot be read", "linstor-controller"],
])("is not ours with another %s, and it is said what to set", (_, named) => {
  expect(anotherLinstor(aSatellite(), cluster(named), own)).toMatch(
    /^The LinstorCluster linstorcluster has its LINSTOR at .*: set LINSTOR_URL in the ConfigMap holdfast-satellite to /,
  );
});

test("what was written down in the satellite counts where its LinstorCluster is gone", () => {
  const satellite = aSatellite();
  const clusterRef = { name: "linstorcluster", externalController: { url: "http://other:3370" } };
  expect(anotherLinstor({ ...satellite, spec: { ...satellite.spec, clusterRef } }, undefined, own)).toContain("other");
});
