import { Alert, Button, Page as Frame, SkipToContent, Spinner } from "@patternfly/react-core";
import { Component, Suspense, useEffect, useRef, useState } from "react";
import { Route, Switch, useLocation } from "wouter";
import { useSession } from "../api/session.ts";
import { Dialogs } from "../parts/act.tsx";
import { focusContent } from "../parts/focus-content.ts";
import { Page } from "../parts/page.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { ConsoleMasthead } from "./masthead.tsx";
import { Navigation } from "./navigation.tsx";
import { ObjectPage, pages } from "./pages.ts";
import { SignIn, SignInAgain } from "./sign-in.tsx";

/** The whole console: who is signed in, and the page that the address names. */
export function App() {
  const { session, error } = useSession();
  const [isOpen, setIsOpen] = useState(() => innerWidth >= 1200);
  const [location] = useLocation();
  const shown = useRef(location);
  useEffect(() => {
    // A page that is opened first begins with its first link.
    if (shown.current !== location) focusContent();
    shown.current = location;
  }, [location]);
  if (!session?.signedIn && !session?.hasEnded)
    return (
      <main>
        {session && (
          <Page title="Sign in">
            <SignIn how={session.how} />
          </Page>
        )}
        {!session && !error && <Spinner aria-label="The console is being opened" />}
        {!session && error && (
          <Page title="The console cannot be opened">
            <Alert variant="danger" isInline title={error.message} component="h2" />
          </Page>
        )}
      </main>
    );
  return (
    <Frame
      key={session.number}
      masthead={<ConsoleMasthead session={session} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />}
      sidebar={<Navigation isOpen={isOpen} onSelect={() => innerWidth < 1200 && setIsOpen(false)} />}
      skipToContent={<SkipToContent href="#content">Skip to content</SkipToContent>}
      mainContainerId="content"
      isContentFilled
    >
      {session.hasEnded && <SignInAgain how={session.how} />}
      <ConnectionBanner />
      <Failing key={location}>
        <Dialogs>
          <Suspense fallback={<Spinner aria-label="The page is being loaded" />}>
            <Switch>
              {pages.map(({ path, page }) => (
                <Route key={path} path={path} component={page} />
              ))}
              <Route path="/object/:kind/:namespace/:name" component={ObjectPage} />
              <Route>
                <Page title="There is no such page">Choose one from the navigation.</Page>
              </Route>
            </Switch>
          </Suspense>
        </Dialogs>
      </Failing>
    </Frame>
  );
}

/** A page that fails must not take the others with it. */
class Failing extends Component<{ readonly children: React.ReactNode }, { readonly message?: string }> {
  override state: { readonly message?: string } = {};

  static getDerivedStateFromError(error: Error) {
    return { message: error.message };
  }

  override render() {
    const { message } = this.state;
    if (message === undefined) return this.props.children;
    return (
      <Page title="This page has failed" actions={<Button onClick={() => location.reload()}>Load it again</Button>}>
        <Alert variant="danger" isInline title={message} component="h2" />
      </Page>
    );
  }
}
