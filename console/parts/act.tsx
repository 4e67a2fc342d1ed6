import { Alert, Button, Content, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createContext, use, useEffect, useState } from "react";
import { useRefused } from "../api/access.ts";
import { isListed } from "../api/followed.ts";
import { type Change, carryOut, failureOf } from "../api/write.ts";
import { Field } from "./field.tsx";
import { focusContent } from "./focus-content.ts";
import { Reasoned } from "./reasoned.tsx";
import { WriteFailed } from "./write-failed.tsx";

/** Something that a person may do: what it does, in sentences, and the command that does the same. */
export interface Action extends CommandedChange {
  readonly label: string;
  readonly does: string;
  readonly isDanger?: boolean;
  /** Why no user may do it now. */
  readonly refused?: string | undefined;
  /** What is asked for beside the confirmation. */
  readonly entry?: Entry;
}

/** A change, and the command that makes it. */
export interface CommandedChange {
  readonly command: string;
  readonly write: Change;
}

/** A text that a person enters, which decides what is done. */
interface Entry {
  readonly label: string;
  readonly initial: string;
  readonly problemIn: (text: string) => string | undefined;
  readonly changeFor: (text: string) => CommandedChange;
}

/** What a person is asked to confirm. */
interface Dialog {
  readonly action: Action;
  /** The page has no button for it any more. */
  readonly isOrphaned?: boolean;
  readonly onClose: () => void;
}

const ShowDialog = createContext<React.Dispatch<React.SetStateAction<Dialog | undefined>>>(() => {});

/** Shows the dialogs of a page: they outlive their buttons, which go when their objects do. */
export function Dialogs({ children }: { readonly children: React.ReactNode }) {
  const [dialog, show] = useState<Dialog>();
  const close = () => {
    dialog?.onClose();
    show(undefined);
  };
  return (
    <ShowDialog value={show}>
      {children}
      {dialog && <Confirm {...dialog} onClose={close} />}
    </ShowDialog>
  );
}

/** A button that asks once, and shows the API server's own words where it refuses. */
export function Act({ action }: { readonly action: Action }) {
  const [isOpen, setIsOpen] = useState(false);
  const show = use(ShowDialog);
  const refused = useRefused(action.write) ?? action.refused;
  useEffect(() => {
    if (isOpen) show({ action: { ...action, refused }, onClose: () => setIsOpen(false) });
  }, [isOpen, show, action, refused]);
  useEffect(() => (isOpen ? () => show((now) => now && { ...now, isOrphaned: true }) : undefined), [isOpen, show]);
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
function Confirm({ action, isOrphaned = false, onClose }: Dialog) {
  const { label, does, isDanger, refused, entry } = action;
  const cache = useQueryClient();
  const { mutate, isPending: isBusy, error } = useMutation({ mutationFn: carryOut });
  const [text, setText] = useState(entry?.initial ?? "");
  const [opened] = useState(action.write);
  const { command, write } = entry?.changeFor(text) ?? action;
  const [problem, setProblem] = useState(entry?.problemIn(text));
  const isShown = !isOrphaned && write.uid === opened.uid;
  const why = isShown ? refused : isListed(cache, opened) === false ? gone(opened) : hidden;
  useEffect(() => {
    addEventListener("popstate", onClose);
    return () => removeEventListener("popstate", onClose);
  }, [onClose]);
  useEffect(() => focusContent, []);
  const cancel = () => {
    if (!isBusy) onClose();
  };
  const enter = (text: string) => {
    setText(text);
    setProblem(entry?.problemIn(text));
  };
  const run = () => {
    // A time may have passed since it was entered.
    const problem = entry?.problemIn(text);
    setProblem(problem);
    // A dialog that Back has closed meanwhile is not called: another one may be open.
    if (!problem) mutate(write, { onSuccess: onClose });
  };
  return (
    <Modal isOpen variant="medium" onClose={cancel} aria-labelledby="confirm-title" aria-describedby="confirm-body">
      <ModalHeader title={`${label}?`} labelId="confirm-title" />
      <ModalBody id="confirm-body">
        <Content component="p">{does}</Content>
        {entry && <Field id="entry" label={entry.label} value={text} problem={problem} onChange={enter} />}
        <Content component="p">In a shell, this does the same:</Content>
        <Command>{command}</Command>
        {/* A change that succeeds may be seen before its answer is. */}
        {why && !isBusy && <Alert variant="warning" isInline title={why} component="h2" />}
        {error && <WriteFailed failure={failureOf(error)} />}
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
        <Button variant="link" onClick={cancel} isDisabled={isBusy}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

const hidden = "The page does not show this action any more. Close this, and look at the object again.";
const gone = ({ kind, name }: Change) => `${kind.kind} ${name} has been deleted meanwhile.`;

/** A command as it would be typed. */
export function Command({ children }: { readonly children: string }) {
  return (
    <section className="hf-command" aria-label="Command">
      {children}
    </section>
  );
}
