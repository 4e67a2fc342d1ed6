import { seededRandom } from "../../../eventing/random.ts";
import { salt } from "../../../functions/volume/lib/salt/system.ts";
import { storageRights } from "../../../local/salt/api/rights.ts";
import { volumeFunctions } from "../../../local/salt/node/functions.ts";
import { createNode } from "../../../local/salt/node/node.ts";
import { createSalt } from "../../../local/salt/salt.ts";
import type { Clock } from "../../../shared/clock.ts";
import { connectSystems } from "../../../shared/serve/connect-systems.ts";
import { readSettings } from "../../../shared/settings.ts";
import type { Connect } from "../../../shared/system/connect.ts";
import type { Setting } from "../../worlds/world.ts";
import { minion } from "./helpers.ts";

const common = {
  inTree: true,
  // A tick would nap until what waits is due, which a scenario asks for itself.
  environment: { "platform-sweep": { TICK: "2" } },
  components: ["access/volume", "volume"],
} satisfies Partial<Setting>;

const password = "secret";

/** Salt as the laptop edition has it, with one node. */
function standIn(clock: Clock): Connect {
  const settings = readSettings(salt.settings, {});
  const { transport } = createSalt({
    clock,
    random: seededRandom(11),
    minions: { [minion]: volumeFunctions(createNode(minion)) },
    accounts: { [settings.saltUsername]: storageRights },
    password,
  });
  const credential = async (name: string) => (name === "password" ? password : undefined);
  const client = salt.connect({ transport, clock, settings, credential });
  return <Client>() => client as Client;
}

/** With the stand-in for Salt. */
export const standInSalt: Setting = { ...common, name: "with the stand-in for Salt", connect: standIn };

/** With a real Salt: `environment` is that of a function. */
export const realSalt = (environment: Readonly<Record<string, string>>): Setting => ({
  ...common,
  name: "with a real Salt",
  connect: (clock) => connectSystems({ salt }, environment, clock),
});
