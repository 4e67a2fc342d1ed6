import { seededRandom } from "../../../eventing/random.ts";
import { salt } from "../../../functions/volume/lib/salt/system.ts";
import { storageRights } from "../../../local/salt/api/rights.ts";
import type { JobReturned } from "../../../local/salt/master.ts";
import { volumeFunctions } from "../../../local/salt/node/functions.ts";
import { createNode, type StorageNode } from "../../../local/salt/node/node.ts";
import { createSalt, type SaltStandIn } from "../../../local/salt/salt.ts";
import type { Clock } from "../../../shared/clock.ts";
import { connectSystems } from "../../../shared/serve/connect-systems.ts";
import { readSettings } from "../../../shared/settings.ts";
import type { Connect } from "../../../shared/system/connect.ts";
import { atOneRoot } from "../../../shared/system/testing/at-one-root.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";
import type { Setting } from "../../harness/cluster.ts";
import { minion } from "./helpers.ts";

const common = {
  inTree: true,
  // A tick would nap until what waits is due, which a scenario asks for itself.
  environment: { "platform-sweep": { TICK: "2" } },
  components: ["access/volume", "volume"],
} satisfies Partial<Setting>;

const password = "secret";

/** Salt as the laptop edition has it, with one node; no function hears of the ends of jobs, unless `onReturn` does. */
function standIn(
  clock: Clock,
  node = createNode(minion),
  onReturn: (job: JobReturned) => void = () => {},
  take: (salt: SaltStandIn) => void = () => {},
): Connect {
  const settings = readSettings(salt.settings, {});
  const made = createSalt({
    clock,
    random: seededRandom(11),
    minions: { [minion]: volumeFunctions(node) },
    accounts: { [settings.saltUsername]: storageRights },
    password,
    onReturn,
  });
  take(made);
  const credential = async (name: string) => (name === "password" ? password : undefined);
  // A scenario may put something before it.
  const transport: SystemTransport = (request) => made.transport(request);
  const client = salt.connect({ ...atOneRoot(transport), clock, settings, credential });
  return <Client>() => client as Client;
}

/** With the stand-in for Salt. */
export const standInSalt: Setting = {
  ...common,
  name: "with the stand-in for Salt",
  connect: (clock) => standIn(clock),
};

/** The same with a node that the scenario has in its hands, and a reactor. */
export const standInWith = (node: StorageNode, onReturn: (job: JobReturned) => void): Setting => ({
  ...common,
  name: "with a reactor",
  connect: (clock) => standIn(clock, node, onReturn),
});

/** The same with the processes of Salt in the hands of the scenario. */
export const standInTaken = (take: (salt: SaltStandIn) => void): Setting => ({
  ...common,
  name: "with processes of Salt that end",
  connect: (clock) => standIn(clock, createNode(minion), () => {}, take),
});

/** With a real Salt: `environment` is that of a function. */
export const realSalt = (environment: Readonly<Record<string, string>>): Setting => ({
  ...common,
  name: "with a real Salt",
  connect: (clock) => connectSystems({ salt }, environment, clock),
});
