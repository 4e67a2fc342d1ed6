import type { ExternalSystem } from "./system.ts";

/**
 * A command to an external system with its input: what a `call` decision names. Two of the same command with equal
 * input are equal to a test, because `send` is the command's own.
 */
export interface Command<Client = unknown, Input = unknown> {
  /** For the log, in words: `spawn a Salt job`. */
  readonly name: string;
  readonly system: ExternalSystem<Client>;
  readonly input: Input;
  /** Sends it. Must bear being repeated, or be read first: the intent is on the object before it is sent. */
  send(client: Client, input: Input): Promise<void>;
}

/** Declares a command to a system; what it returns binds the input. */
export function command<Client, Input>(
  system: ExternalSystem<Client>,
  name: string,
  send: (client: Client, input: Input) => Promise<void>,
): (input: Input) => Command {
  return (input) => ({ name, system, input, send }) satisfies Command<Client, Input> as Command;
}
