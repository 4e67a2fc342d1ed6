import { expect, test } from "vitest";
import { controllerOf, controllerProblem } from "./controller.ts";
import { aSatellite } from "./testing/seen.ts";

const cluster = (url?: string) =>
  ({ metadata: { name: "linstorcluster" }, spec: url === undefined ? {} : { externalController: { url } } }) as never;
const satelliteOf = (url: string) => {
  const satellite = aSatellite();
  const clusterRef = { name: "linstorcluster", externalController: { url } };
  return { ...satellite, spec: { ...satellite.spec, clusterRef } };
};

test("the LinstorCluster says which LINSTOR is a satellite's, and its clusterRef where that is gone", () => {
  expect(controllerOf(satelliteOf("http://before"), cluster("http://now"))).toBe("http://now");
  expect(controllerOf(satelliteOf("http://before"), cluster())).toBeUndefined();
  expect(controllerOf(satelliteOf("http://before"), undefined)).toBe("http://before");
  expect(controllerOf(aSatellite(), undefined)).toBeUndefined();
});

test.each(["", "linstor-controller", "linstor://linstor-controller", "http://one,http://other"])(
  "%j cannot be asked, and it is said what to write",
  (url) => {
    expect(controllerProblem(aSatellite(), cluster(url), url)).toMatch(
      /^The LinstorCluster linstorcluster has spec\.externalController\.url ".*Write an http or https URL of one/,
    );
  },
);

test("a password is refused, and not shown", () => {
  const url = "https://somebody:secret@linstor:3371";
  expect(controllerProblem(aSatellite(), cluster(url), url)).toContain('"https://…@linstor:3371"');
  expect(controllerProblem(aSatellite(), cluster(url), url)).not.toContain("secret");
});

test("none and any address can be asked", () => {
  expect(controllerProblem(aSatellite(), cluster(), undefined)).toBeUndefined();
  expect(controllerProblem(aSatellite(), cluster(), "https://linstor")).toBeUndefined();
});
