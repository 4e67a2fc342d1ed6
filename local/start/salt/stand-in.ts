import { randomBytes } from "node:crypto";
import type { Random } from "../../../eventing/random.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { HttpRequest } from "../../../shared/http-message.ts";
import { storageRights } from "../../salt/api/rights.ts";
import { volumeFunctions } from "../../salt/node/functions.ts";
import { createNode } from "../../salt/node/node.ts";
import { reactTo } from "../../salt/reactor.ts";
import { createSalt } from "../../salt/salt.ts";
import { serveSystem } from "../../system-server/serve-system.ts";
import type { Session } from "../session.ts";
import type { SaltAccess } from "./installed.ts";

/** What the stand-in runs on. */
export interface StandInParts {
  readonly clock: Clock;
  readonly random: Random;
  /** The one minion, and the node of its name. */
  readonly minion: string;
  /** Takes the CloudEvents of its reactor. */
  readonly react: (event: HttpRequest) => void;
}

/** Starts a stand-in for Salt on loopback: nothing is installed, and nothing is done to a disk. */
export async function startStandIn(
  { clock, random, minion, react }: StandInParts,
  session: Session,
): Promise<SaltAccess> {
  const username = "holdfast";
  // Any client that can reach the port would be let in otherwise.
  const password = randomBytes(16).toString("hex");
  const node = createNode(minion);
  const { transport } = createSalt({
    clock,
    random,
    minions: { [minion]: volumeFunctions(node) },
    accounts: { [username]: storageRights },
    password,
    onReturn(job) {
      const event = reactTo(job);
      if (event) react(event);
    },
  });
  const { url, close } = await serveSystem(transport);
  session.onEnd(close);
  const storage = () => [...node.files.keys()].map((uid) => `/var/lib/metalk8s/storage/sparse/${uid}`);
  return { url, username, eauth: "holdfast", password, minion, storage };
}
