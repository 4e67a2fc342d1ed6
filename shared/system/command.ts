import { Contended } from "../contended.ts";
import type { ExternalSystem } from "./system.ts";
import { SystemError } from "./system-error.ts";

/**
 * A command to an external system with its input: what a `call` decision names. Two of the same command with equal
 * input are equal to a test, because `send` is the command's own.
 */
export interface Command<Client = unknown, Input = unknown> {
  /** For the log, in words: `spawn a Salt job`. */
  readonly name: string;
  readonly system: ExternalSystem<Client>;
  readonly input: Input;
  /**
   * Reads whether it may be sent, and changes nothing. Throws where it may not, or where that is not known. `send` does
   * this by itself; absent where there is nothing to read.
   */
  readonly before?: Send<Client, Input>;
  /**
   * Sends it. Must bear being repeated, or be read first: the intent is on the object before it is sent. Throws NotSent
   * or Contended where it is surely not sent.
   */
  send(client: Client, input: Input): Promise<void>;
}

type Send<Client, Input> = (client: Client, input: Input) => Promise<void>;

/** A command is surely not sent: what it reads before has failed, or no connection came about. `cause` is the error. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

/** No connection came about for a command. What it reads before may have succeeded just now. */
export class NoConnection extends NotSent {}

/**
 * What `read` reads before anything is sent.
 *
 * @throws Contended of `read`; NotSent with any other error of it
 */
export async function beforeSending<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof Contended) throw cause;
    throw new NotSent("What is read before a command has failed, so that it was not sent.", { cause });
  }
}

/**
 * What `request` sends, where nothing else was sent before: without a connection the command is not sent.
 *
 * @throws NoConnection where none came about; else the error of `request`
 */
export async function sendingFirst<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (cause) {
    if (!(cause instanceof SystemError && cause.unsent)) throw cause;
    throw new NoConnection("No connection to the system came about, so that the command was not sent.", { cause });
  }
}

/**
 * Declares a command to a system; what it returns binds the input. `before` reads whether it may be sent, and throws
 * Contended where it may not.
 */
export function command<Client, Input>(
  system: ExternalSystem<Client>,
  name: string,
  send: Send<Client, Input>,
  before?: Send<Client, Input>,
): (input: Input) => Command {
  if (!before) return (input) => ({ name, system, input, send }) satisfies Command<Client, Input> as Command;
  const sendAfter: Send<Client, Input> = async (client, input) => {
    await beforeSending(() => before(client, input));
    await send(client, input);
  };
  return (input) => ({ name, system, input, before, send: sendAfter }) satisfies Command<Client, Input> as Command;
}
