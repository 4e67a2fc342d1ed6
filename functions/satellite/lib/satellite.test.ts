import { expect, test } from "vitest";
import { linstorAddresses } from "./linstor/controllers.ts";
import { conditionWrites, controllerOf, controllerProblem } from "./satellite.ts";
import { aSatellite, now } from "./testing/seen.ts";

const wanted = { type: "Configured", status: "True", reason: "AsExpected", message: "All is well." } as const;
const seen = (observedGeneration: number) => {
  const condition = { ...wanted, lastTransitionTime: "2025-12-31T00:00:00Z", observedGeneration };
  return { ...aSatellite(), status: { conditions: [condition] } };
};

test("a condition that is still true of a later generation says so, because others wait for it", () => {
  const [write] = conditionWrites(seen(1), [wanted], now);
  expect(write).toMatchObject({
    patch: { status: { conditions: [{ observedGeneration: 2, lastTransitionTime: "2025-12-31T00:00:00Z" }] } },
  });
});

test("one that says so already is not written", () => expect(conditionWrites(seen(2), [wanted], now)).toEqual([]));

const addresses = linstorAddresses.parse({});
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
    expect(controllerProblem(aSatellite(), cluster(url), url, addresses)).toMatch(
      /^The LinstorCluster linstorcluster has spec\.externalController\.url ".*Write an http or https URL of one/,
    );
  },
);

test("a password is refused, and not shown", () => {
  const url = "https://somebody:secret@linstor:3371";
  expect(controllerProblem(aSatellite(), cluster(url), url, addresses)).toContain('"https://…@linstor:3371"');
  expect(controllerProblem(aSatellite(), cluster(url), url, addresses)).not.toContain("secret");
});

test("none, that of LINSTOR_URL, and what LINSTOR_HOSTS names can be asked, and nothing else", () => {
  const named = { ...addresses, linstorHosts: "LINSTOR.example.com, [FD00::1]" };
  const problem = (url?: string) => controllerProblem(aSatellite(), cluster(url), url, named);
  const own = "https://linstor-controller.piraeus-datastore.svc:3371";
  for (const url of [
    undefined,
    own,
    "https://linstor.example.com",
    "https://linstor.example.com:99",
    "http://[fd00::1]",
  ])
    expect(problem(url)).toBeUndefined();
  expect(problem("https://sub.linstor.example.com")).toBe(
    'The LinstorCluster linstorcluster has spec.externalController.url "https://sub.linstor.example.com", whose host ' +
      "LINSTOR_HOSTS does not name. If that is the LINSTOR of its satellites, add sub.linstor.example.com to " +
      "LINSTOR_HOSTS in the ConfigMap holdfast-satellite; if not, correct the URL. " +
      "Nothing is done in LINSTOR for its satellites before.",
  );
  expect(controllerProblem(aSatellite(), cluster(), "http://linstor", addresses)).toContain("LINSTOR_HOSTS");
});
