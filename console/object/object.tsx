import {
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  ExpandableSection,
} from "@patternfly/react-core";
import { Fragment, lazy, Suspense } from "react";
import { useParams } from "wouter";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import type { VolumeObject } from "../../functions/volume/lib/volume.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject } from "../../shared/kubernetes/object.ts";
import { useEvents } from "../api/events.ts";
import { kindNamed } from "../api/kinds.ts";
import { conditionsOf, lastWords } from "../api/progress.ts";
import { objectsOf, useList } from "../api/use-list.ts";
import { Command } from "../parts/act.tsx";
import { Age } from "../parts/age.tsx";
import { withKind } from "../parts/columns.tsx";
import { ObjectLink } from "../parts/object-link.tsx";
import { heldBecause } from "../parts/object-state.ts";
import { Empty, Known, Page, Part } from "../parts/page.tsx";
import { State } from "../parts/state.tsx";
import { relatedTo } from "./related.ts";
import { Timeline } from "./timeline.tsx";
import { isUsed, UseOf } from "./use-of.tsx";
import { VolumeActions } from "./volume-actions.tsx";

const Yaml = lazy(() => import("./yaml.tsx"));

/** All that is known of one object: what happened to it, what each rule says of it, and the object itself. */
export default function ObjectPage() {
  const { kind: word = "", namespace = "_", name = "" } = useParams();
  const kind = kindNamed(word);
  const reference = { kind: kind?.kind ?? word, ...(namespace === "_" ? {} : { namespace }), name };
  const title = describe({ apiVersion: "", ...reference });
  return (
    <Page title={title}>
      {kind ? (
        <OneObject kind={kind} namespace={reference.namespace} name={name} />
      ) : (
        <Empty title="The console does not know this kind">
          Look at the object with kubectl: the console shows only kinds that Holdfast works with.
        </Empty>
      )}
    </Page>
  );
}

interface OneObjectProps {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
}

function OneObject({ kind, namespace, name }: OneObjectProps) {
  const list = useList(kind, { namespace, fieldSelector: `metadata.name=${name}` });
  const events = useEvents({ kind: kind.kind, ...(namespace ? { namespace } : {}), name });
  return (
    <Known list={list} what={`Objects of the kind ${kind.kind}`}>
      {([object]) => (
        <div className="hf-stack">
          {!object && <Empty title="This object does not exist">It has been deleted, or was never created.</Empty>}
          {object && <Present object={object} />}
          <Part title="What happened">
            <Known list={events} what="Events">
              {() => null}
            </Known>
            {(object || events.is === "ready") && <Timeline object={object} events={objectsOf(events)} />}
          </Part>
          {object && <InAShell object={object} />}
        </div>
      )}
    </Known>
  );
}

function Present({ object }: { readonly object: KubernetesObject }) {
  const { metadata } = object;
  const words = lastWords(object);
  const conditions = conditionsOf(object);
  const facts: readonly Fact[] = [
    ["Created", <Age key="created" at={metadata.creationTimestamp} />],
    ["Being deleted since", metadata.deletionTimestamp && <Age key="deleted" at={metadata.deletionTimestamp} />],
    ["Held because", heldBecause(object)],
    ["Finalizers", metadata.finalizers?.join(", ")],
    ...relatedTo(object).map(
      ({ what, to }): Fact => [
        what,
        <ObjectLink key={what} to={to}>
          {withKind(to)}
        </ObjectLink>,
      ],
    ),
    ["uid", metadata.uid],
  ];
  return (
    <>
      {object.kind === Volume.kind && <VolumeActions volume={object as VolumeObject} />}
      <Part title="What it is">
        <Details isHorizontal of={facts} />
      </Part>
      {isUsed(object) && (
        <Part title="What uses it">
          <UseOf object={object} />
        </Part>
      )}
      <Part title="The last word of each rule">
        {words.length === 0 ? (
          <p>No rule has written anything down on it.</p>
        ) : (
          <Details
            of={words.map(({ rule, step, since, next, because }) => [
              <Fragment key={rule}>
                {rule}: {step}, <Age at={since} />
              </Fragment>,
              <Fragment key={rule}>
                {because} {next && "It looks again: "}
                {next && <Age at={next} />}
              </Fragment>,
            ])}
          />
        )}
      </Part>
      {conditions.length > 0 && (
        <Part title="Conditions">
          <Details
            of={conditions.map(({ type, status, reason, message, lastTransitionTime }) => [
              <Fragment key={type}>
                {type} <State tone="plain">{status}</State> {reason}, <Age at={lastTransitionTime} />
              </Fragment>,
              message || "-",
            ])}
          />
        </Part>
      )}
    </>
  );
}

/** The object as kubectl shows it, and the command that explains it. */
function InAShell({ object }: { readonly object: KubernetesObject }) {
  return (
    <>
      <Part title="In a shell">
        <Command>{explainCommand(object)}</Command>
      </Part>
      <ExpandableSection toggleText="The object as YAML">
        <Suspense>
          <Yaml object={object} />
        </Suspense>
      </ExpandableSection>
    </>
  );
}

/** The command that says the same, with what each rule would decide now. Two groups may serve a kind of one name. */
function explainCommand({ apiVersion, kind, metadata: { namespace, name } }: KubernetesObject): string {
  const [group] = apiVersion.split("/").toReversed().slice(1);
  const word = `${kind.toLowerCase()}${group ? `.${group}` : ""}/${name}`;
  return `holdfast explain ${word}${namespace ? ` -n ${namespace}` : ""}`;
}

type Fact = readonly [term: React.ReactNode, description: React.ReactNode];

interface DetailsProps {
  /** Those without a description are left out. */
  readonly of: readonly Fact[];
  readonly isHorizontal?: boolean;
}

function Details({ of, isHorizontal = false }: DetailsProps) {
  const facts = of.filter(([, description]) => description);
  return (
    <DescriptionList isHorizontal={isHorizontal} isCompact={isHorizontal}>
      {facts.map(([term, description], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rules may have a word of the same text.
        <DescriptionListGroup key={index}>
          <DescriptionListTerm>{term}</DescriptionListTerm>
          <DescriptionListDescription>{description}</DescriptionListDescription>
        </DescriptionListGroup>
      ))}
    </DescriptionList>
  );
}
