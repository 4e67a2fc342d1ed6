import {
  Alert,
  Button,
  Content,
  FormGroup,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  TextInput,
} from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, use, useEffect, useState } from "react";
import { useRefused } from "../api/access.ts";
import { isListed } from "../api/followed.ts";
import { type Change, carryOut, type Failure, failureOf } from "../api/write.ts";
import { focusContent } from "./focus-content.ts";
import { Reasoned } from "./reasoned.tsx";
import { WriteFailed } from "./write-failed.tsx";

/** Something that a person may do: what it does, in sentences, and the command that does the same. */
export interface Action extends Deed {
  readonly label: string;
  readonly does: string;
  readonly isDanger?: boolean;
  /** Why no user may do it now. */
  readonly refused?: string | undefined;
  /** What is asked for beside the confirmation. */
  readonly entry?: Entry;
}

/** A change, and the command that makes it. */
export interface Deed {
  readonly command: string;
  readonly write: Change;
}

/** A text that a person enters, which decides what is done. */
interface Entry {
  readonly label: string;
  readonly initial: string;
  readonly problemIn: (text: string) => string | undefined;
  readonly deedFor: (text: string) => Deed;
}

/** What a person is asked to confirm. */
interface Asked {
  readonly action: Action;
  /** The page has no button for it any more. */
  readonly isLeft?: boolean;
  readonly onClose: () => void;
}

const Ask = createContext<React.Dispatch<React.SetStateAction<Asked | undefined>>>(() => {});

/** Shows the dialogs of a page: they outlive their buttons, which go when their objects do. */
export function Asking({ children }: { readonly children: React.ReactNode }) {
  const [asked, ask] = useState<Asked>();
  const close = () => {
    asked?.onClose();
    ask(undefined);
  };
  return (
    <Ask value={ask}>
      {children}
      {asked && <Confirm {...asked} onClose={close} />}
    </Ask>
  );
}

/** A button that asks once, and shows the API server's own words where it refuses. */
export function Act({ action }: { readonly action: Action }) {
  const [isOpen, setIsOpen] = useState(false);
  const ask = use(Ask);
  const refused = useRefused(action.write) ?? action.refused;
  useEffect(() => {
    if (isOpen) ask({ action: { ...action, refused }, onClose: () => setIsOpen(false) });
  }, [isOpen, ask, action, refused]);
  useEffect(() => (isOpen ? () => ask((asked) => asked && { ...asked, isLeft: true }) : undefined), [isOpen, ask]);
  return (
    <Reasoned
      why={refused}
      variant="secondary"
      isDanger={action.isDanger ?? false}
      size="sm"
      onClick={() => setIsOpen(true)}
    >
      {action.label}
    </Reasoned>
  );
}

/** Asks, does, and says what came of it. What is confirmed is done to the object that the dialog was opened for. */
function Confirm({ action, isLeft = false, onClose }: Asked) {
  const { label, does, isDanger, refused, entry } = action;
  const cache = useQueryClient();
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setIsBusy] = useState(false);
  const [text, setText] = useState(entry?.initial ?? "");
  const [{ kind, name, uid }] = useState(action.write);
  const { command, write } = entry?.deedFor(text) ?? action;
  const problem = entry?.problemIn(text);
  const lost = !isLeft && write.uid === uid ? undefined : isListed(cache, kind, uid) ? hidden : gone(kind.kind, name);
  const why = lost ?? refused;
  useEffect(() => {
    addEventListener("popstate", onClose);
    return () => removeEventListener("popstate", onClose);
  }, [onClose]);
  useEffect(() => focusContent, []);
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
        {entry && (
          <FormGroup label={entry.label} fieldId="entry">
            <TextInput
              id="entry"
              value={text}
              validated={problem ? "error" : "default"}
              onChange={(_, value) => setText(value)}
            />
            {problem}
          </FormGroup>
        )}
        <Content component="p">In a shell, this does the same:</Content>
        <Command>{command}</Command>
        {/* A change that succeeds may be seen before its answer is. */}
        {why && !isBusy && <Alert variant="warning" isInline title={why} component="h2" />}
        {failure && <WriteFailed failure={failure} />}
      </ModalBody>
      <ModalFooter>
        <Button
          variant={isDanger ? "danger" : "primary"}
          onClick={run}
          isDisabled={isBusy || why !== undefined || problem !== undefined}
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

const hidden = "The page does not show this action any more. Close this, and look at the object again.";
const gone = (kind: string, name: string) => `${kind} ${name} has been deleted meanwhile.`;

/** A command as it would be typed. */
export function Command({ children }: { readonly children: string }) {
  return (
    <section className="hf-command" aria-label="Command">
      {children}
    </section>
  );
}
