import { Contended } from "../../../shared/contended.ts";
import { type Command, command, sendingFirst } from "../../../shared/system/command.ts";
import { truncate } from "../../../shared/truncate.ts";
import { describeEntry, type Entry, LinstorError } from "./linstor/answer.ts";
import type { Linstor, PropertyChanges } from "./linstor/client.ts";
import type { LinstorControllers } from "./linstor/controllers.ts";
import { answeredKey, answerKey, isEvacuating, isEvicted } from "./linstor/objects.ts";
import { linstor } from "./linstor/system.ts";

/** Which LINSTOR is called: the one that was looked at. */
export interface Addressed {
  /** `controller` of the satellite that was seen. */
  readonly at: string | undefined;
}

/** A command to the LINSTOR that its input names, and to no other. */
export function commandAt<Input extends Addressed>(
  name: string,
  send: SendTo<Input>,
  before?: SendTo<Input>,
): (input: Input) => Command {
  return command(linstor, name, addressed(send), before && addressed(before));
}
type SendTo<Input> = (client: Linstor, input: Input) => Promise<void>;
const addressed =
  <Input extends Addressed>(send: SendTo<Input>) =>
  async (controllers: LinstorControllers, input: Input) =>
    send(controllers.at(input.at), input);

export interface Named extends Addressed {
  /** As LINSTOR has it. */
  readonly node: string;
}

interface Evacuated extends Named {
  /** When it was decided, RFC 3339: what the call is known by. */
  readonly called: string;
}
/**
 * Never twice at a time in one LINSTOR: who sends it has the Lease. Only a fresh read shows its effect. That
 * LINSTOR has answered is what matters, whether or not it can keep the words: other nodes wait for the Lease.
 */
export const evacuateNode = commandAt("evacuate a node", async (client, { node, called }: Evacuated) => {
  const keep = (entries: readonly Entry[]) => client.nodes.modify(node, keepAnswer(entries, called)).catch(() => {});
  const entries = await sendingFirst(() => client.nodes.evacuate(node)).catch(async (error) => {
    if (error instanceof LinstorError) await keep(error.entries);
    throw error;
  });
  await keep(entries);
});

export const restoreNode = commandAt("restore a node", async (client, { node }: Named) => {
  await sendingFirst(() => client.nodes.restore(node));
  await client.nodes.modify(node, forgetAnswer);
});

/**
 * With all that is on it: only after proof that nothing is. Writes come between that proof and the call, so that it is
 * asked once more whether the node is as it was. Where it is not, nothing is sent, and another look says what to wait
 * for.
 */
export const deleteNode = commandAt(
  "delete a node",
  async (client, { node }: Named) => {
    await sendingFirst(() => client.nodes.delete(node));
  },
  async (client, { node }) => {
    const [live, here, snapshots] = await Promise.all([
      client.nodes.get(node),
      client.resources.onNode(node),
      client.snapshots.onNode(node),
    ]);
    const isLeft = live !== undefined && (isEvacuating(live) || isEvicted(live));
    if (!isLeft || here?.length !== 0 || snapshots.length > 0)
      throw new Contended(`The node ${node} has changed in LINSTOR since it was looked at, and is not deleted.`);
  },
);

/** Gives up all that is on it. LINSTOR refuses while the node is connected. */
export const loseNode = commandAt("give a node up as lost", async (client, { node }: Named) => {
  await sendingFirst(() => client.nodes.lose(node));
});

/** Of a property's value, which LINSTOR's database takes up to 4,096 characters of. */
const longest = 2000;

/**
 * The change that keeps that a call was answered, with the warnings and errors of the answer, by whichever code, and
 * those without a message. `called` is when the call was made, RFC 3339.
 */
function keepAnswer(entries: readonly Entry[], called: string): PropertyChanges {
  const worth = entries.filter(({ severity }) => severity === "warning" || severity === "error").map(describeEntry);
  const answered = { [answeredKey]: called };
  return worth.length > 0
    ? { set: { ...answered, [answerKey]: truncate(worth.join("; "), longest) } }
    : { set: answered, remove: [answerKey] };
}

/** The change after which nothing is kept. */
const forgetAnswer: PropertyChanges = { remove: [answerKey, answeredKey] };
