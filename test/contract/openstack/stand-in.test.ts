import { describe } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { createOpenStack } from "../../../local/openstack/openstack.ts";
import { outcomeOf } from "../../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { openstackContract } from "./contract.ts";
import type { OpenStackUnderTest } from "./openstack-under-test.ts";

function standIn(): OpenStackUnderTest {
  const clock = virtualClock();
  const hosts = ["node-a", "node-b"] as const;
  const options = { clock, random: seededRandom(1), hosts, password: "secret", downAfter: 10_000 };
  const { authUrl, transportTo, cloud, network } = createOpenStack(options);
  return {
    authUrl,
    transportTo,
    clock,
    password: "secret",
    hosts,
    server: {},
    settled: (work) => outcomeOf(clock, work, 600_000),
    agents: async (host, sort, isRunning) => network.run(host, sort, isRunning),
    control: { stop: async (host) => cloud.run(host, false), start: async (host) => cloud.run(host, true) },
  };
}

describe("the stand-in for OpenStack", () => openstackContract(standIn));
