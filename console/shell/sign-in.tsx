import {
  Alert,
  Button,
  Content,
  Form,
  FormGroup,
  Modal,
  ModalBody,
  ModalHeader,
  TextInput,
} from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { askAgain, signIn } from "../api/session.ts";
import { Command } from "../parts/act.tsx";

/** How one signs in where this page cannot ask for a token. */
const elsewhere: Readonly<Record<string, string>> = {
  kubeconfig:
    "Open the address that holdfast console prints: it signs you in. If the credential of your kubeconfig has " +
    "expired, log in to the cluster first, and start holdfast console again.",
  proxy:
    "The proxy before the console has forwarded no token that the API server accepts. Open the console in another " +
    "tab, sign in there, and try again here.",
};

interface SignInProps {
  readonly how: string | undefined;
}

const titleId = "sign-in-again";

/** Asks for another credential over the open page, which keeps what was typed there. */
export function SignInAgain({ how }: SignInProps) {
  useEffect(() => {
    // A dialog below would close, because each of them listens.
    const stop = (event: KeyboardEvent) => event.key === "Escape" && event.stopPropagation();
    addEventListener("keydown", stop, { capture: true });
    return () => removeEventListener("keydown", stop, { capture: true });
  }, []);
  useEffect(() => {
    // A dialog below hides all others from screen readers each time that it is drawn.
    const show = () => document.getElementById(titleId)?.closest("[aria-hidden]")?.removeAttribute("aria-hidden");
    const observer = new MutationObserver(show);
    observer.observe(document.body, { subtree: true, attributeFilter: ["aria-hidden"] });
    return () => observer.disconnect();
  }, []);
  return (
    <Modal isOpen variant="medium" aria-labelledby={titleId}>
      <ModalHeader title="Your sign-in has ended" labelId={titleId} />
      <ModalBody>
        <Content component="p">
          The API server no longer accepts your credential. Sign in again as the same user, and the page keeps what you
          have typed.
        </Content>
        <SignIn how={how} />
      </ModalBody>
    </Modal>
  );
}

/**
 * Says how to sign in, or asks for a token. The server keeps none: it comes back with each request, encrypted, in a
 * cookie.
 */
export function SignIn({ how = "token" }: SignInProps) {
  const cache = useQueryClient();
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const words = elsewhere[how];
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setProblem(undefined);
    await (words ? askAgain(cache) : signIn(cache, token.trim())).catch((error: Error) => setProblem(error.message));
    setIsBusy(false);
  };
  return (
    <>
      <Content component="p">
        {words ?? "Sign in with a token of yours. You can do here what you can do with kubectl, and nothing else."}
      </Content>
      {problem && (
        <Alert variant="danger" isInline title="You are not signed in" component="h2">
          {problem}
        </Alert>
      )}
      <Form isWidthLimited onSubmit={submit}>
        {!words && (
          <FormGroup label="Token" fieldId="token" isRequired>
            <TextInput
              id="token"
              type="password"
              autoComplete="off"
              value={token}
              onChange={(_, value) => setToken(value)}
            />
          </FormGroup>
        )}
        <Button type="submit" isDisabled={isBusy || (!words && token.trim() === "")} isLoading={isBusy}>
          {words ? "Try again" : "Sign in"}
        </Button>
      </Form>
      {!words && (
        <>
          <Content component="p">This command makes one for a service account:</Content>
          <Command>kubectl create token ACCOUNT --namespace NAMESPACE</Command>
        </>
      )}
    </>
  );
}
