import type { Random } from "../../../eventing/random.ts";
import { linstor } from "../../../functions/satellite/lib/linstor/system.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { SystemResponse } from "../../../shared/system/transport.ts";

/** A call to evacuate a node that a function has sent. */
export interface EvacuateCall {
  readonly clock: Clock;
  readonly random: Random;
  /** Has LINSTOR carry it out, and resolves with the answer. Sent a second time it is a duplicate of the network's. */
  send(): Promise<SystemResponse>;
  /** Has LINSTOR take so long (milliseconds) to deploy the copies that it begins from now on; as usual without. */
  deployIn(milliseconds?: number): void;
}

type CallFault = (call: EvacuateCall) => Promise<SystemResponse>;

const second = 1000;
/** Milliseconds that a call may lie on its way before LINSTOR begins with it: much less than the Lease is held. */
const longestOnItsWay = 40 * second;
/** Longer than a function listens, shorter than the Lease is held. */
const longerThanHeard = linstor.settings.parse({}).linstorCommandTimeout + 10 * second;

const html = { "content-type": "text/html" };
const reset = () => Promise.reject(new Error("socket hang up"));
/** LINSTOR goes on with it, and no function hears how it ends. */
const unheard = (answer: Promise<unknown>) => void answer.catch(() => {});

/**
 * What may become of a call to evacuate between a function and LINSTOR, beside what may become of any request: LINSTOR
 * is at work on it, or is yet to begin, when the function believes that it has failed.
 */
export const callFaults: Readonly<Record<string, CallFault>> = {
  "the connection drops while LINSTOR works": async ({ clock, random, send }) => {
    unheard(send());
    await clock.sleep(random.below(2 * second));
    return reset();
  },
  "the connection drops before LINSTOR begins": async ({ clock, random, send }) => {
    unheard(clock.sleep(random.below(longestOnItsWay)).then(send));
    await clock.sleep(300);
    return reset();
  },
  "LINSTOR begins late": async ({ clock, random, send }) => {
    await clock.sleep(random.below(longestOnItsWay));
    return send();
  },
  "a proxy gives up while LINSTOR works": async ({ clock, random, send }) => {
    unheard(send());
    await clock.sleep(random.below(2 * second));
    return { status: 504, headers: html, body: "<p>Gateway Timeout</p>" };
  },
  "LINSTOR works longer than anybody listens": ({ deployIn, send }) => {
    deployIn(longerThanHeard);
    return send().finally(() => deployIn());
  },
  "a proxy sends it twice at once": async ({ send }) => {
    unheard(send());
    return send();
  },
  "a proxy sends it again later": async ({ clock, random, send }) => {
    const answer = await send();
    unheard(clock.sleep(random.below(longestOnItsWay)).then(send));
    return answer;
  },
};
