import { List, ListItem, Title } from "@patternfly/react-core";
import { useMemo } from "react";
import { conditions } from "../../functions/eviction/lib/names.ts";
import { lockPrefix, locksOn, maintenanceLabel, maintenanceOf } from "../../functions/eviction/lib/node-lock.ts";
import { ConfigMap, Node } from "../../shared/kubernetes/kind.ts";
import { type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { conditionOf } from "../api/progress.ts";
import { useEvicted } from "../api/use-evicted.ts";
import { objectsOf, useList } from "../api/use-list.ts";
import { ageColumn, linkColumn, stateColumn } from "../parts/columns.tsx";
import { ObjectLink } from "../parts/object-link.tsx";
import { type Column, ObjectTable } from "../parts/object-table.tsx";
import { Empty, Known, Page, Unread } from "../parts/page.tsx";
import { State } from "../parts/state.tsx";
import { actionsFor } from "./actions.ts";
import { countersOf } from "./counters.ts";
import { SetBy } from "./set-by.tsx";

interface Dependent extends KubernetesObject {
  readonly spec?: { readonly state?: string; readonly lockName?: string };
}

/** Compute hosts and agents that leave, who still holds each Node, and what a person has to agree to. */
export default function Eviction() {
  const lists = useEvicted<Dependent>();
  const [computes] = lists;
  const nodes = useList(Node);
  // In whichever namespace Holdfast is installed.
  const settings = useList<KubernetesObject & { data?: Record<string, string> }>(ConfigMap, {
    fieldSelector: "metadata.name=holdfast-eviction",
  });
  const all = lists.flatMap((list) => objectsOf(list));
  const stuck = objectsOf(computes).flatMap(stuckOn);
  const locked = objectsOf(nodes).filter((node) => locksOn(node).length > 0 || maintenanceOf(node) !== undefined);
  const isAllRead = lists.every(({ is }) => is === "ready" || is === "absent");
  const nodeColumns = useMemo(() => columnsOfNodes(all, isAllRead), [all, isAllRead]);
  return (
    <Page
      title="Eviction"
      intro="Compute hosts and agents of OpenStack: which ones leave, what they wait for, and who holds them."
    >
      <Known
        list={computes}
        what="Compute nodes"
        absent="Install the system eviction: see functions/eviction/README.md of Holdfast."
      >
        {() => (
          <div className="hf-stack">
            <Unread lists={lists} />
            {settings.is === "refused" && <p>The eviction windows cannot be read: {settings.message}</p>}
            <Windows settings={objectsOf(settings)[0]?.data} />
            <Title headingLevel="h2">Compute nodes and agents</Title>
            <ObjectTable
              what="compute nodes and agents"
              objects={all}
              columns={columns}
              empty={<Empty title="There are no compute nodes and no agents" />}
              actions={actionsFor}
            />
            {stuck.length > 0 && (
              <>
                <Title headingLevel="h2">Servers that need a person</Title>
                <ObjectTable
                  what="servers that need a person"
                  id="server-"
                  objects={stuck}
                  keyOf={({ compute, line }) => `${compute.metadata.uid} ${line}`}
                  columns={stuckColumns}
                  empty={null}
                />
              </>
            )}
            <Title headingLevel="h2">Nodes that are held</Title>
            <Known list={nodes} what="Nodes">
              {() => (
                <ObjectTable
                  what="Nodes"
                  id="node-"
                  objects={locked}
                  columns={nodeColumns}
                  empty={<Empty title="No Node is held">No agent has locked a Node.</Empty>}
                />
              )}
            </Known>
          </div>
        )}
      </Known>
    </Page>
  );
}

/** When evictions may begin, and how many hosts may be out. */
function Windows({ settings }: { readonly settings: Readonly<Record<string, string>> | undefined }) {
  if (!settings) return null;
  const { EVICTION_WINDOW, EVICTION_WINDOW_LENGTH, EVICTION_TIME_ZONE, EVICTION_MAX_UNAVAILABLE } = settings;
  return (
    <p>
      {EVICTION_WINDOW
        ? `Evictions begin in windows that open at "${EVICTION_WINDOW}" (cron, ${EVICTION_TIME_ZONE || "UTC"}) for ${EVICTION_WINDOW_LENGTH || "4h"}.`
        : "Evictions may begin at any time."}{" "}
      Of each group, at most {EVICTION_MAX_UNAVAILABLE || "1"} may be out at a time.
    </p>
  );
}

const columns: readonly Column<Dependent>[] = [
  linkColumn("Name", referenceTo, { text: ({ kind, name }) => `${kind} ${name}` }),
  {
    title: "Wanted",
    value: ({ metadata, spec }) => (metadata.deletionTimestamp ? "deleted" : (spec?.state ?? "Enabled")),
  },
  stateColumn(
    "Evicted",
    (object) => {
      const { status, message } = conditionOf(object, conditions.evicted) ?? {};
      return { word: status, tone: status === "Evicting" ? "busy" : "plain", says: countersOf(message) };
    },
    25,
  ),
  {
    title: "Waits for",
    width: 35,
    value: (object) => conditionOf(object, conditions.converged)?.message,
    cell: (object) => {
      const converged = conditionOf(object, conditions.converged);
      const down = conditionOf(object, conditions.hostDown);
      return (
        <>
          {converged && converged.status !== "True" && (
            <State tone={converged.reason === "Dependency" ? "warning" : "busy"}>{converged.reason}</State>
          )}{" "}
          {converged?.message} {down?.status === "True" && <State tone="bad">Host is down</State>}{" "}
          {down?.status === "True" && down.message}
        </>
      );
    },
  },
  ageColumn("Since", (object) => conditionOf(object, conditions.converged)?.lastTransitionTime),
];

interface Stuck {
  readonly compute: Dependent;
  /** The server and its fault; or how many more there are. */
  readonly line: string;
  readonly server: string | undefined;
  readonly fault: string;
}

/** The servers of a host that need a person: a line of the condition each. */
function stuckOn(compute: Dependent): readonly Stuck[] {
  const { status, message = "" } = conditionOf(compute, conditions.serversStuck) ?? {};
  if (status !== "True") return [];
  return message.split("\n").map((line) => {
    const [, server, fault = line] = /^(\S+): (.*)$/.exec(line) ?? [];
    return { compute, line, server, fault };
  });
}

const stuckColumns: readonly Column<Stuck>[] = [
  { title: "Server", value: ({ server }) => server },
  { title: "Fault", value: ({ fault }) => fault, width: 40 },
  linkColumn("Compute node", ({ compute }) => referenceTo(compute)),
];

/** The lock of a resource: its kind, or the name that its spec gives. */
const lockNameOf = ({ kind, spec }: Dependent) => spec?.lockName || kind;

const columnsOfNodes = (all: readonly Dependent[], isAllRead: boolean): readonly Column<KubernetesObject>[] => [
  linkColumn("Node", referenceTo),
  {
    title: "Others must leave",
    value: (node) => maintenanceOf(node) ?? "not said",
    cell: (node) => (
      <>
        {maintenanceOf(node) ?? "not said"}
        <SetBy object={node} field="labels" name={maintenanceLabel} />
      </>
    ),
  },
  {
    title: "Held by",
    value: (node) => locksOn(node).join(" "),
    cell: (node) => (
      <List isPlain>
        {locksOn(node).map((lock) => {
          const owner = all.find((one) => one.metadata.name === node.metadata.name && lockNameOf(one) === lock);
          return (
            <ListItem key={lock}>
              {owner ? (
                <ObjectLink to={referenceTo(owner)}>{lock}</ObjectLink>
              ) : (
                <>
                  {lock}: {isAllRead ? "no resource of this Node has this lock" : "whose lock this is, is not known"}
                </>
              )}
              <SetBy object={node} field="annotations" name={lockPrefix + lock} />
            </ListItem>
          );
        })}
      </List>
    ),
  },
];
