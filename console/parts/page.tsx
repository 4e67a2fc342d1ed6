import {
  Alert,
  Card,
  CardBody,
  CardTitle,
  Content,
  EmptyState,
  EmptyStateBody,
  PageSection,
  Spinner,
  Title,
} from "@patternfly/react-core";
import { useEffect } from "react";
import type { Objects } from "../api/use-list.ts";

interface PageProps {
  readonly title: string;
  readonly intro?: React.ReactNode;
  readonly actions?: React.ReactNode;
  readonly children: React.ReactNode;
}

/** A page with its heading, which is also the document's title. */
export function Page({ title, intro, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} - Holdfast`;
  }, [title]);
  return (
    <>
      <PageSection>
        <div className="hf-heading">
          <Title headingLevel="h1">{title}</Title>
          <div className="hf-actions">{actions}</div>
        </div>
        {intro && <Content component="p">{intro}</Content>}
      </PageSection>
      <PageSection isFilled>{children}</PageSection>
    </>
  );
}

interface PartProps {
  readonly title: React.ReactNode;
  readonly children: React.ReactNode;
}

/** A part of a page, with its heading. */
export function Part({ title, children }: PartProps) {
  return (
    <Card isCompact>
      <CardTitle component="h2">{title}</CardTitle>
      <CardBody>{children}</CardBody>
    </Card>
  );
}

interface KnownProps<O> {
  readonly list: Objects<O>;
  /** What is listed, in the plural: `Volumes`. */
  readonly what: string;
  /** What to do where the kind is not installed. */
  readonly absent?: string;
  readonly children: (objects: readonly O[]) => React.ReactNode;
}

/** Shows objects when they are known, and until then why they are not. */
export function Known<O>({ list, what, absent, children }: KnownProps<O>) {
  switch (list.is) {
    case "loading":
      return <Spinner aria-label={`${what} are being read`} />;
    case "refused":
      return (
        <Alert variant="warning" isInline title={`${what} cannot be shown`} component="h2">
          {list.message}
        </Alert>
      );
    case "absent":
      return <Empty title={`${what} are not installed`}>{absent ?? "This cluster does not serve their kind."}</Empty>;
    case "ready":
      return children(list.objects);
  }
}

/** Says which of the lists cannot be read, in the words of the API server; nothing where all can. */
export function Unread({ lists }: { readonly lists: readonly Objects<unknown>[] }) {
  const reasons = lists.flatMap((list) => (list.is === "refused" ? [list.message] : []));
  return reasons.length > 0 && <Content component="p">Not all of it can be shown: {reasons.join(" ")}</Content>;
}

/** Says that there is nothing, and what to make of it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: React.ReactNode }) {
  return (
    <EmptyState headingLevel="h2" titleText={title} variant="sm">
      {children && <EmptyStateBody>{children}</EmptyStateBody>}
    </EmptyState>
  );
}
