import { Content, Title } from "@patternfly/react-core";
import { isEventKey } from "../../functions/platform/lib/kept-event.ts";
import { readStatus } from "../../functions/platform/lib/sweep-status.ts";
import { isStillRefused } from "../../functions/platform/lib/taken.ts";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { readNote } from "../../functions/undelete/lib/note.ts";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import {
  ConfigMap,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  StatefulSet,
} from "../../shared/kubernetes/kind.ts";
import { type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import type { Volume as PersistentVolumeObject } from "../../shared/storage/volume.ts";
import { isOurs, useWarnings } from "../api/events.ts";
import { ApiServerSource, Deployment, ofHoldfast, partOfHoldfast, Service } from "../api/kinds.ts";
import { useEvicted } from "../api/use-evicted.ts";
import { type Objects, objectsOf, useList } from "../api/use-list.ts";
import { Age, useNow } from "../parts/age.tsx";
import { ageColumn, linkColumn, stateColumn, withKind } from "../parts/columns.tsx";
import { type Column, ObjectTable } from "../parts/object-table.tsx";
import { Empty, Page, Part, Unread } from "../parts/page.tsx";
import { whyUnread } from "../parts/why-unread.ts";
import { attentionOf, type Item, itemsOfEvents, readyOf, tones } from "./attention.ts";

/** What waits for a person, and whether all that Holdfast is made of works. */
export default function Overview() {
  const claims = useList(PersistentVolumeClaim);
  const volumes = useList<PersistentVolumeObject>(PersistentVolume);
  const made = useList(Volume);
  const sets = useList(StatefulSet);
  const satellites = useList(LinstorSatellite);
  const evicted = useEvicted();
  const namespaces = useList(Namespace);
  const warnings = useWarnings();
  const services = useList(Service, ofHoldfast);
  const deployments = useList(Deployment, ofHoldfast);
  const sources = useList(ApiServerSource, { labelSelector: partOfHoldfast });
  // One by one: the console's server passes on no other ConfigMap.
  const buffer = useList<KubernetesObject & { data?: Record<string, string> }>(ConfigMap, {
    fieldSelector: "metadata.name=holdfast-dead-letters",
  });
  const table = useList(ConfigMap, { fieldSelector: "metadata.name=holdfast-sweep" });
  const now = useNow();

  const systems: readonly (readonly [string, string, readonly Objects<KubernetesObject>[]])[] = [
    ["Claims", "/claims", [claims]],
    [
      "Kept volumes",
      "/kept",
      [volumes.is === "ready" ? { is: "ready", objects: volumes.objects.filter(readNote) } : volumes],
    ],
    ["Volumes", "/volumes", [made]],
    ["StatefulSets", "/claims?tab=sets", [sets]],
    ["Satellites", "/satellites", [satellites]],
    ["Compute nodes and agents", "/eviction", evicted],
  ];
  const lists = [claims, volumes, made, sets, satellites, ...evicted, namespaces];
  const partLists = [services, deployments, sources];
  const all = [...lists, ...partLists, warnings, buffer, table];
  const isAllKnown = all.every(({ is }) => is !== "refused");
  const parts = [...objectsOf(services), ...objectsOf(deployments).filter(isNotKnatives), ...objectsOf(sources)];
  const swept = objectsOf(table).flatMap((map) => readStatus(map) ?? [])[0];
  // Without the ConfigMap it is not known what is kept: it may have another name.
  const kept = objectsOf(buffer).map(({ data = {} }) => data)[0];
  const items = [
    ...[...parts, ...lists.flatMap(objectsOf)].flatMap((object) => attentionOf(object, now) ?? []),
    ...itemsOfEvents(objectsOf(warnings).filter((event) => isOurs(event) && isStillRefused(event, kept, swept, now))),
  ];
  const isRead = all.every(({ is }) => is !== "loading");
  const deadEvents = objectsOf(buffer).flatMap(({ data = {} }) => Object.keys(data).filter(isEventKey).sort());
  // Their keys begin with the time.
  const lastDead = deadEvents.at(-1)?.replace(/^(....)(..)(..T..)(..)(..)-.*/, "$1-$2-$3:$4:$5Z");
  return (
    <Page title="Overview" intro="What waits for a person, and what holds what.">
      <div className="hf-stack">
        <Unread lists={all} />
        <ObjectTable
          what="objects that wait"
          objects={items}
          keyOf={({ id }) => id}
          columns={columns}
          empty={
            !isRead ? (
              <Content component="p">The cluster is being read.</Content>
            ) : isAllKnown ? (
              <Empty title="Everything is at rest">Nothing is held, stuck, failed, or due soon.</Empty>
            ) : (
              <Empty title="What can be shown is at rest" />
            )
          }
        />
        <div className="hf-grid">
          {systems.map(([title, href, lists]) => (
            <Part key={title} title={<a href={href}>{title}</a>}>
              {countOf(lists, now)}
            </Part>
          ))}
          <Part title="Sweep">
            {swept ? (
              <>
                Last sweep <Age at={swept.at} />. {swept.because}
              </>
            ) : (
              (whyUnread(table) ?? "No sweep has been recorded.")
            )}
          </Part>
          <Part title="Dead-lettered events">
            {deadEvents.length === 0 ? (
              (whyUnread(buffer) ?? "None: every event was taken.")
            ) : (
              <>
                {deadEvents.length}, the last <Age at={lastDead} />. Run: holdfast replay
              </>
            )}
          </Part>
        </div>
        <Title headingLevel="h2">Functions and sources</Title>
        <ObjectTable
          what="functions and sources"
          id="fn-"
          objects={parts}
          columns={functionColumns}
          empty={
            partLists.some(({ is }) => is === "loading" || is === "refused") ? (
              <Content component="p">It is not known which are installed.</Content>
            ) : (
              <Empty title="No function is installed" />
            )
          }
        />
      </div>
    </Page>
  );
}

/** What Knative makes of our Services belongs to it. */
const isNotKnatives = ({ metadata }: KubernetesObject) => !metadata.ownerReferences?.length;

/** How many there are and wait, of the kinds that are installed; nothing while one of them is not read. */
function countOf(lists: readonly Objects<KubernetesObject>[], now: number): string {
  const installed = lists.filter(({ is }) => is !== "absent");
  const unread = (installed.length > 0 ? installed : lists).flatMap((list) => whyUnread(list) ?? [])[0];
  const objects = lists.flatMap(objectsOf);
  const waiting = objects.filter((object) => attentionOf(object, now)).length;
  return (
    unread ??
    `${objects.length}, of which ${waiting === 0 ? "none waits" : `${waiting} ${waiting === 1 ? "waits" : "wait"}`}.`
  );
}

const columns: readonly Column<Item>[] = [
  stateColumn("State", ({ state }) => ({ word: state, tone: tones[state] })),
  linkColumn("Object", (item) => item, { text: withKind }),
  { title: "Why", width: 40, value: ({ why }) => why },
  ageColumn("Since", ({ since }) => since),
];

interface Workload extends KubernetesObject {
  readonly spec?: {
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };
  };
}

const functionColumns: readonly Column<KubernetesObject>[] = [
  linkColumn("Name", referenceTo, { text: ({ name }) => name }),
  { title: "Kind", value: ({ kind }) => (kind === "ApiServerSource" ? "source" : "function") },
  stateColumn("Ready", (object) => {
    const ready = readyOf(object);
    if (!ready) return { word: "unknown", tone: "plain" };
    return ready.status === "True" ? { word: "yes", tone: "good" } : { word: "no", tone: "bad", says: ready.message };
  }),
  ageColumn("Since", (object) => readyOf(object)?.lastTransitionTime),
  { title: "Image", value: (object) => (object as Workload).spec?.template?.spec?.containers?.[0]?.image },
];
