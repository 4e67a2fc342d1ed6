import { describe } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { storageRights } from "../../../local/salt/api/rights.ts";
import type { MinionFunction } from "../../../local/salt/minion/function.ts";
import { volumeFunctions } from "../../../local/salt/node/functions.ts";
import { createNode } from "../../../local/salt/node/node.ts";
import { createSalt } from "../../../local/salt/salt.ts";
import { outcomeOf } from "../../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { saltContract, volumesContract } from "./contract.ts";
import type { SaltUnderTest } from "./salt-under-test.ts";
import { functionsForContract } from "./states.ts";

function standIn(functions: (minion: string) => Readonly<Record<string, MinionFunction>>): SaltUnderTest {
  const clock = virtualClock();
  const salt = createSalt({
    clock,
    random: seededRandom(1),
    minions: { "worker-0": functions("worker-0"), "worker-1": functions("worker-1") },
    accounts: { storage: storageRights, powerless: ["test.ping"] },
    password: "secret",
    tokenExpire: 30,
  });
  return {
    transport: salt.transport,
    clock,
    account: { eauth: "sharedsecret", username: "storage", password: "secret" },
    powerless: "powerless",
    minions: ["worker-0", "worker-1"],
    tokenExpire: 30,
    settled: (work) => outcomeOf(clock, work, 600_000),
    control: {
      stop: async (name) => salt.stop(name),
      start: async (name) => salt.start(name),
      kill: async (name) => salt.stop(name),
      killJob: async (jid, minion) => salt.killJob(jid, minion),
    },
  };
}

describe("the stand-in for Salt", () => saltContract(() => standIn(functionsForContract)));
describe("the stand-in for Salt and its nodes", () =>
  volumesContract(() => standIn((minion) => volumeFunctions(createNode(minion)))));
