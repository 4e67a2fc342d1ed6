import { Button, type ButtonProps, Content, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { useState } from "react";
import { useRefused } from "../api/access.ts";
import { carryOut, type Failure, failureOf, type Write } from "../api/write.ts";
import { Reasoned } from "./reasoned.tsx";
import { WriteFailed } from "./write-failed.tsx";

/** Something that a person may do: what it does, in sentences, and the command that does the same. */
export interface Action {
  readonly label: string;
  readonly does: string;
  readonly command: string;
  readonly write: Write;
  readonly isDanger?: boolean;
  /** Why no user may do it now. */
  readonly refused?: string | undefined;
  /** What is asked for beside the confirmation. */
  readonly form?: React.ReactNode;
  /** What is wrong with what was written there. */
  readonly problem?: string | undefined;
}

interface ActProps {
  readonly action: Action;
  readonly variant?: ButtonProps["variant"];
}

/** A button that asks once, and shows the API server's own words where it refuses. */
export function Act({ action, variant = "secondary" }: ActProps) {
  const [isOpen, setIsOpen] = useState(false);
  const refused = useRefused(action.write);
  return (
    <>
      <Reasoned
        why={refused ?? action.refused}
        variant={variant}
        isDanger={action.isDanger ?? false}
        size="sm"
        onClick={() => setIsOpen(true)}
      >
        {action.label}
      </Reasoned>
      {isOpen && <Confirm action={action} onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** Asks, does, and says what came of it. */
function Confirm({ action, onClose }: { readonly action: Action; readonly onClose: () => void }) {
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setIsBusy] = useState(false);
  const { label, does, command, write, isDanger, form, refused, problem } = action;
  const run = async () => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      await carryOut(write);
      onClose();
    } catch (error) {
      setFailure(failureOf(error));
      setIsBusy(false);
    }
  };
  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby="confirm-title" aria-describedby="confirm-body">
      <ModalHeader title={`${label}?`} labelId="confirm-title" />
      <ModalBody id="confirm-body">
        <Content component="p">{does}</Content>
        {form}
        <Content component="p">In a shell, this does the same:</Content>
        <Command>{command}</Command>
        {failure && <WriteFailed failure={failure} />}
      </ModalBody>
      <ModalFooter>
        <Button
          variant={isDanger ? "danger" : "primary"}
          onClick={run}
          isDisabled={isBusy || refused !== undefined || problem !== undefined}
          isLoading={isBusy}
        >
          {label}
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

/** A command as it would be typed. */
export function Command({ children }: { readonly children: string }) {
  return (
    <section className="hf-command" aria-label="Command">
      {children}
    </section>
  );
}
