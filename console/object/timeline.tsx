import { List, ListItem } from "@patternfly/react-core";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type EventObject, lastSeen } from "../api/events.ts";
import { conditionsOf, lastWords } from "../api/progress.ts";
import { Age } from "../parts/age.tsx";
import { State } from "../parts/state.tsx";

interface Moment {
  readonly at: string;
  readonly what: string;
  readonly isWarning?: boolean;
  readonly says: string;
}

interface TimelineProps {
  readonly object: KubernetesObject | undefined;
  readonly events: readonly EventObject[];
}

/** What happened to an object, the latest first: its Events, what rules have written down, and its conditions. */
export function Timeline({ object, events }: TimelineProps) {
  const moments = [...(object ? momentsOf(object) : []), ...events.map(momentOf)].toSorted(
    (one, other) => Date.parse(other.at) - Date.parse(one.at),
  );
  if (moments.length === 0)
    return <p>Nothing is known. Kubernetes keeps Events for an hour unless it is set otherwise.</p>;
  return (
    <List isPlain isBordered>
      {moments.map(({ at, what, isWarning, says }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two moments may say the same at the same time.
        <ListItem key={`${at} ${what} ${index}`}>
          <Age at={at} /> {isWarning ? <State tone="warning">{what}</State> : <strong>{what}</strong>} {says}
        </ListItem>
      ))}
    </List>
  );
}

const momentOf = (event: EventObject): Moment => ({
  at: lastSeen(event),
  what: event.reason ?? "Event",
  isWarning: event.type === "Warning",
  says: `${event.note ?? ""}${event.series ? ` (${event.series.count} times)` : ""}`,
});

function momentsOf(object: KubernetesObject): readonly Moment[] {
  const { creationTimestamp, deletionTimestamp } = object.metadata;
  const all = [
    { at: creationTimestamp, what: "Created", says: "" },
    { at: deletionTimestamp, what: "Deletion asked for", says: "" },
    ...lastWords(object).map(({ rule, step, since, because }) => ({
      at: since,
      what: `${rule}: ${step}`,
      says: because,
    })),
    ...conditionsOf(object).map(({ type, status, reason, message, lastTransitionTime }) => ({
      at: lastTransitionTime,
      what: `${type}: ${status}`,
      says: [reason, message].filter(Boolean).join(": "),
    })),
  ];
  return all.filter((moment): moment is Moment => moment.at !== undefined);
}
