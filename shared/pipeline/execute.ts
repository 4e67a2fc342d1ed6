import { Contended } from "../contended.ts";
import type { Call, Decision, Precondition } from "../decision.ts";
import { ApiError, isAlreadyExists, isConflict } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import { clearEvent, type Recorded, recordEvent } from "../kubernetes/record-event.ts";
import { isStatus, send, sendAll, type Write } from "../kubernetes/write.ts";
import { readProgress } from "../progress.ts";
import { progressNameOf } from "../rule.ts";
import { type StepEvent, warning } from "../steps.ts";
import { NoConnection, NotSent } from "../system/command.ts";
import { SystemError } from "../system/system-error.ts";
import type { ExecuteContext } from "./execute-context.ts";
import type { Operation, PlannedRule } from "./plan.ts";

/** What is still to be done when every decision of a run has been carried out. Never rejects. */
export type Afterwards = () => Promise<void>;

/**
 * Carries out the operations of one decision in their order. Events that are no longer true are left for `afterwards`
 * where nothing depends on it: among a thousand claims, the last is not to wait for the Events of the others.
 *
 * @throws ApiError
 * @throws SystemError of the external system that a command was sent to.
 * @throws NoConnection where a command found none, and what was noted of it is taken back.
 * @throws Contended where a precondition does not hold, or an object that something later stands on is gone.
 */
export async function execute(
  rule: PlannedRule,
  decision: Decision,
  operations: readonly Operation[],
  context: ExecuteContext,
  afterwards: Afterwards[],
): Promise<void> {
  const { client, connect } = context;
  let recorded: Recorded | undefined;
  for (const operation of operations) {
    switch (operation.do) {
      case "check":
        // Also where they could not be read: the command is surely not sent.
        await check(operation.preconditions, client).catch(async (error) => {
          await note(rule, decision, operation.unsent, context);
          throw error;
        });
        break;
      case "write": {
        const { writes, follows, unsent, announced } = operation;
        const sent: Write[] = [];
        await sendAll(client, decision.about, writes, follows, sent).catch(async (error) => {
          if (announced && recorded === "created" && isConflict(error))
            await withdraw(rule, decision, announced, context);
          // What the first write has noted is this run's. Where that write itself has failed for now, another run may
          // have written the same, and the note may stand although the API server has not said so.
          const isNoted = sent.some((write) => !isStatus(write));
          if (isNoted || isForGood(error)) await note(rule, decision, unsent, context);
          throw error;
        });
        break;
      }
      case "record":
        if (!operation.again || recorded === "present")
          recorded = await record(rule, decision, operation.event, context);
        break;
      case "clear":
        if (operation.later) afterwards.push(() => clear(rule, decision, operation.reasons, context));
        else await clear(rule, decision, operation.reasons, context);
        break;
      case "ask":
        await operation.command.before?.(connect(operation.command.system), operation.command.input);
        break;
      case "send": {
        const { command, answered, refused, unsent } = operation;
        await command.send(connect(command.system), command.input).catch(async (thrown) => {
          const error = thrown instanceof NotSent ? thrown.cause : thrown;
          const isSent = error === thrown && !(error instanceof Contended);
          // To repeat what is refused does not help, whether it is the command or what is read before it.
          if (!isSent && !(refused && isRefusal(error))) await note(rule, decision, unsent, context);
          if (unsent && thrown instanceof NoConnection) throw thrown;
          // What the system has answered to a read is no answer to the command.
          if (isSent && error instanceof SystemError && error.answered) await note(rule, decision, answered, context);
          return recordRefusal(error, rule, decision, refused, context);
        });
        await note(rule, decision, answered, context);
      }
    }
  }
}

async function check(preconditions: readonly Precondition[], client: Client): Promise<void> {
  for (const { kind, namespace, name, holds } of preconditions) {
    if (holds(await client.get(kind, namespace, name))) continue;
    const object = [kind.kind, namespace ? `${namespace}/${name}` : name].join(" ");
    throw new Contended(`${object} has changed in the meantime.`);
  }
}

/** The object is gone, or the API server refuses what is asked: the same write will not succeed later. */
const isForGood = (error: unknown) =>
  error instanceof Contended ||
  (error instanceof ApiError &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 429 &&
    !isConflict(error) &&
    !isAlreadyExists(error));

/** So often it is tried to write what has become of a command: one answer of the API server may be lost. */
const tries = 3;

/**
 * Writes what has become of a command. Where it fails, the note of the call in flight stays until its time has passed.
 */
async function note(
  { name }: PlannedRule,
  { about }: Decision,
  outcome: Call["unsent"],
  { client, log }: ExecuteContext,
): Promise<void> {
  const attempt = (write: Write, left: number): Promise<void> =>
    send(client, write).catch((error: Error) => {
      if (left > 1 && !isForGood(error) && !isConflict(error)) return attempt(write, left - 1);
      log.warn({ rule: name, uid: about.metadata.uid }, `What has become of a command was not noted: ${error.message}`);
    });
  for (const write of [outcome ?? []].flat()) await attempt(write, tries);
}

const isRefusal = (error: unknown): error is SystemError =>
  error instanceof SystemError && ["refused", "unauthorized"].includes(error.failure);

/**
 * What a system refuses for good is recorded on the object that the command was for, in the system's own words: a
 * person must act. It stays until it expires, for what the system says of the next command is another matter.
 */
async function recordRefusal(
  error: unknown,
  rule: PlannedRule,
  decision: Decision,
  refused: Write | undefined,
  context: ExecuteContext,
) {
  if (isRefusal(error)) {
    await note(rule, decision, refused, context);
    await record(rule, { ...decision, message: error.message }, warning(`${error.system}Refused`), context);
  }
  throw error;
}

/** Events are for people: when the API server takes none (a namespace that is being deleted), the work goes on. */
async function record(
  { name }: PlannedRule,
  { about, message }: Decision,
  event: StepEvent,
  { client, clock, log }: ExecuteContext,
): Promise<Recorded | undefined> {
  return recordEvent(client, about, name, { ...event, note: message }, clock.now()).catch((error: Error) => {
    log.warn({ rule: name, uid: about.metadata.uid }, `The Event ${event.reason} was not recorded: ${error.message}`);
    return undefined;
  });
}

/**
 * After a conflict the next look may decide otherwise, and only Events that the annotation knows of are cleared: one
 * that there was not goes with the annotation that was not written. It stays where the conflict was with another run of
 * the rule that has written the same step. A patch of nothing reads for a rule that may write but not get.
 */
async function withdraw(
  rule: PlannedRule,
  decision: Decision,
  { step, event }: NonNullable<Extract<Operation, { do: "write" }>["announced"]>,
  context: ExecuteContext,
): Promise<void> {
  const { namespace, name, uid } = decision.about.metadata;
  const live = await context.client
    .patch(decision.kind, namespace, name, "merge", { metadata: { uid } }, { metadataOnly: true })
    .catch(() => undefined);
  const isWritten = live !== undefined && readProgress(live, progressNameOf(rule))?.step === step.name;
  if (!isWritten) await clear(rule, decision, [event.reason], context);
}

async function clear(
  { name }: PlannedRule,
  { about }: Decision,
  reasons: readonly string[],
  { client, log }: ExecuteContext,
): Promise<void> {
  for (const reason of reasons)
    await clearEvent(client, about, name, reason).catch((error: Error) =>
      log.warn({ rule: name }, `The Event ${reason} was not cleared: ${error.message}`),
    );
}
