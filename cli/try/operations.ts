import type { Kind } from "../../shared/kubernetes/kind.ts";
import { describe } from "../../shared/kubernetes/object.ts";
import type { Write } from "../../shared/kubernetes/write.ts";
import type { Operation } from "../../shared/pipeline/plan.ts";

/** One operation of a plan, as a person or a program reads it. */
export interface ShownOperation {
  /** One line. */
  readonly does: string;
  /** What is sent, where anything is: a patch, an object, or the input of a command. */
  readonly sends?: unknown;
}

/** The operations of a plan, in their order. */
export const shown = (operations: readonly Operation[]): readonly ShownOperation[] => operations.flatMap(showOne);

function showOne(operation: Operation): readonly ShownOperation[] {
  switch (operation.do) {
    case "check":
      return operation.preconditions.map(({ kind, namespace, name }) => ({
        does: `check that ${title(kind, namespace, name)} is as it was seen`,
      }));
    case "write":
      return operation.writes.map(showWrite);
    case "record":
      return operation.again ? [] : [{ does: `record the ${operation.event.type} Event ${operation.event.reason}` }];
    case "clear":
      return [{ does: `clear the Events ${operation.reasons.join(", ")}` }];
    case "ask": {
      const { system, name } = operation.command;
      return [{ does: `ask ${system.name} whether this call may still be sent: ${name}` }];
    }
    case "send": {
      const { command } = operation;
      return [{ does: `call ${command.system.name}: ${command.name}`, sends: command.input }];
    }
  }
}

function showWrite(write: Write): ShownOperation {
  switch (write.verb) {
    case "create":
      return {
        does: `create ${title(write.kind, write.object.metadata.namespace, write.object.metadata.name)}`,
        sends: write.object,
      };
    case "delete":
      return { does: `delete ${title(write.kind, write.namespace, write.name)}`, sends: write.options };
    case "patch": {
      const { kind, namespace, name, type, patch, options } = write;
      const part = options?.subresource ? ` (its ${options.subresource})` : "";
      return { does: `patch ${title(kind, namespace, name)}${part} by ${type} patch`, sends: patch };
    }
  }
}

const title = ({ apiVersion, kind }: Kind, namespace: string | undefined, name: string) =>
  describe({ apiVersion, kind, name, ...(namespace ? { namespace } : {}) });
