import {
  Alert,
  Button,
  Card,
  CardBody,
  CardTitle,
  Content,
  Form,
  FormGroup,
  PageSection,
  TextInput,
} from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { signIn } from "../api/session.ts";
import { Command } from "../parts/act.tsx";

/** How one signs in where this page cannot ask for a token. */
const elsewhere: Readonly<Record<string, string>> = {
  kubeconfig: "Open the address that holdfast console prints: it signs you in.",
  proxy: "The proxy before the console has forwarded no token that the API server accepts. Load the page again.",
};

/** Says how to sign in, or asks for a token. */
export function SignIn({ how = "token" }: { readonly how: string | undefined }) {
  useEffect(() => {
    document.title = "Sign in - Holdfast";
  }, []);
  return (
    <main>
      <PageSection isWidthLimited isCenterAligned>
        <Card>
          <CardTitle component="h1">Sign in to Holdfast</CardTitle>
          <CardBody>{elsewhere[how] ? <Content component="p">{elsewhere[how]}</Content> : <TokenForm />}</CardBody>
        </Card>
      </PageSection>
    </main>
  );
}

/** The server keeps no token: it comes back with each request, encrypted, in a cookie. */
function TokenForm() {
  const cache = useQueryClient();
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setProblem(undefined);
    await signIn(cache, token.trim()).catch((error: Error) => setProblem(error.message));
    setIsBusy(false);
  };
  return (
    <>
      <Content component="p">
        Sign in with a token of yours. You can do here what you can do with kubectl, and nothing else.
      </Content>
      {problem && (
        <Alert variant="danger" isInline title="The token is not accepted" component="h2">
          {problem}
        </Alert>
      )}
      <Form onSubmit={submit}>
        <FormGroup label="Token" fieldId="token" isRequired>
          <TextInput
            id="token"
            type="password"
            autoComplete="off"
            value={token}
            onChange={(_, value) => setToken(value)}
          />
        </FormGroup>
        <Button type="submit" isDisabled={isBusy || token.trim() === ""} isLoading={isBusy}>
          Sign in
        </Button>
      </Form>
      <Content component="p">This command makes one for a service account:</Content>
      <Command>kubectl create token ACCOUNT --namespace NAMESPACE</Command>
    </>
  );
}
