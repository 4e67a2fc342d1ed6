import { List, ListItem, ProgressStep, ProgressStepper, Title } from "@patternfly/react-core";
import { useState } from "react";
import { readCopies } from "../../functions/satellite/lib/copies-note.ts";
import { LinstorCluster, LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import type { Placement } from "../../functions/satellite/lib/matching/satellite-wanted.ts";
import { isGoing, readRecord } from "../../functions/satellite/lib/record.ts";
import { conditions, lifeConditions, policyOf } from "../../functions/satellite/lib/satellite.ts";
import { marksFor } from "../../functions/satellite/lib/volumes.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { conditionOf } from "../api/progress.ts";
import { objectsOf, useList } from "../api/use-list.ts";
import { Act } from "../parts/act.tsx";
import { Age } from "../parts/age.tsx";
import { linkColumn, stateColumn } from "../parts/columns.tsx";
import { ObjectLink } from "../parts/object-link.tsx";
import { type Column, ObjectTable } from "../parts/object-table.tsx";
import { Empty, Known, Page, Unread } from "../parts/page.tsx";
import { State } from "../parts/state.tsx";
import { leavingOf, takesSlot } from "./leaving.ts";
import { MachineOf } from "./machine.tsx";
import { undo } from "./undo.ts";

interface Satellite extends KubernetesObject {
  readonly spec?: {
    readonly deletionPolicy?: string;
    readonly storagePools?: readonly { readonly name: string }[];
    readonly clusterRef?: { readonly name?: string };
  };
}

interface PersistentVolumeObject extends KubernetesObject {
  readonly spec?: { readonly csi?: { readonly volumeHandle?: string } };
}

interface Cluster extends KubernetesObject {
  readonly spec?: Placement & { readonly maxConcurrentEvacuations?: number };
}

/** Satellites, and evacuations with the step that each is in. */
export default function Satellites() {
  const satellites = useList<Satellite>(LinstorSatellite);
  const placing = [useList(LinstorCluster), useList(Node)];
  const leaving = objectsOf(satellites).filter(isGoing);
  return (
    <Page
      title="Satellites"
      intro="LINSTOR satellites, one for each Node, and what becomes of their data when they go."
    >
      <Known
        list={satellites}
        what="Satellites"
        absent="Install the system satellite: see docs/satellites.md of Holdfast."
      >
        {(satellites) => (
          <div className="hf-stack">
            <Unread lists={placing} />
            <Slots leaving={leaving.filter(takesSlot)} />
            {leaving.map((satellite) => (
              <Leaving key={satellite.metadata.uid} satellite={satellite} />
            ))}
            <ObjectTable
              what="satellites"
              objects={satellites}
              columns={columns}
              empty={<Empty title="There are no satellites">Create a LinstorCluster, and label Nodes for it.</Empty>}
            />
          </div>
        )}
      </Known>
    </Page>
  );
}

const columns: readonly Column<Satellite>[] = [
  linkColumn("Node", referenceTo),
  { title: "Policy", value: ({ spec }) => policyOf(spec) },
  { title: "Pools", value: ({ spec }) => spec?.storagePools?.map(({ name }) => name).join(", ") },
  ...Object.values(lifeConditions).map((type) =>
    stateColumn<Satellite>(type, (satellite) => {
      const { status, message } = conditionOf(satellite, type) ?? {};
      return status === "True" ? { word: status, tone: "good" } : { word: status, tone: "warning", says: message };
    }),
  ),
  { title: "Evacuated", value: (satellite) => conditionOf(satellite, conditions.evacuated)?.reason },
];

/** How many evacuations may run at a time, and which run. */
function Slots({ leaving }: { readonly leaving: readonly Satellite[] }) {
  const clusters = useList<Cluster>(LinstorCluster);
  const limited = objectsOf(clusters).filter(({ spec }) => (spec?.maxConcurrentEvacuations ?? 0) > 0);
  if (limited.length === 0) return null;
  return (
    <List isPlain>
      {limited.map(({ metadata, spec }) => {
        const own = leaving.filter((one) => one.spec?.clusterRef?.name === metadata.name);
        return (
          <ListItem key={metadata.uid}>
            {metadata.name}: {own.length === 1 ? "1 satellite leaves" : `${own.length} satellites leave`}, at most{" "}
            {spec?.maxConcurrentEvacuations} at a time.
          </ListItem>
        );
      })}
    </List>
  );
}

/** One satellite that leaves, with the steps that its policy has. */
function Leaving({ satellite }: { readonly satellite: Satellite }) {
  const clusters = useList<Cluster>(LinstorCluster);
  // One list for all: the console's server follows no more than twenty at a time.
  const nodes = useList(Node);
  const volumes = useList<PersistentVolumeObject>(PersistentVolume);
  const [isAll, setIsAll] = useState(false);
  const { name, deletionTimestamp } = satellite.metadata;
  const { label, what, steps, now, message, since, trouble } = leavingOf(satellite);
  const isEvacuated = steps.length > 0;
  const { waits } = marksFor(name);
  const marked = objectsOf(volumes).filter(({ metadata }) => metadata.annotations?.[waits] !== undefined);
  const node = objectsOf(nodes).find(({ metadata }) => metadata.name === name);
  const cluster = objectsOf(clusters).find(({ metadata }) => metadata.name === satellite.spec?.clusterRef?.name);
  const isPolicyKnown = clusters.is === "ready" && nodes.is === "ready";
  const byHandle = new Map(objectsOf(volumes).map((one) => [one.spec?.csi?.volumeHandle, one]));
  const { before = {}, called } = readRecord(satellite) ?? {};
  // Before LINSTOR is called, the note is that of an evacuation that was called off.
  const noted = called ? readCopies(satellite) : {};
  const copies = [...new Set([...Object.keys(before), ...Object.keys(noted)])].sort().map((name) => ({
    name,
    before: before[name],
    noted: Object.entries(noted[name] ?? {}),
    volume: byHandle.get(name),
  }));
  return (
    <section aria-label={label} className="hf-stack">
      <Title headingLevel="h2">
        <ObjectLink to={referenceTo(satellite)} /> is leaving{" "}
        {trouble === "error" && <State tone="bad">Needs a person</State>}
        {trouble === "away" && <State tone="warning">Waits for what is away</State>}
      </Title>
      {isEvacuated && (
        <ProgressStepper isCompact={!isAll} aria-label={`Steps of ${name}`}>
          {steps.map(({ name: step, title }, index) => (
            <ProgressStep
              key={step}
              id={`${name}-${step}`}
              titleId={`${name}-${step}-title`}
              aria-label={`${title}: ${index < now ? "done" : index === now ? "now" : "to come"}`}
              variant={index < now ? "success" : index === now ? "info" : "pending"}
              isCurrent={index === now}
            >
              {title}
            </ProgressStep>
          ))}
        </ProgressStepper>
      )}
      {what && <p>{what}</p>}
      <p>
        {message ?? "No function has said anything of it yet."} Last change: <Age at={since ?? deletionTimestamp} />.{" "}
        {isEvacuated && (
          <button type="button" className="pf-v6-c-button pf-m-link pf-m-inline" onClick={() => setIsAll(!isAll)}>
            {isAll ? "Show the steps as one line" : "Show all nine steps"}
          </button>
        )}
      </p>
      <MachineOf satellite={satellite} />
      {marked.length > 0 && (
        <p>
          Volumes that wait until they are attached elsewhere:{" "}
          {marked.map((volume) => (
            <span key={volume.metadata.uid}>
              <ObjectLink to={referenceTo(volume)} />{" "}
            </span>
          ))}
        </p>
      )}
      <ObjectTable
        what={`volumes with a copy on ${name}`}
        id={`${name}-`}
        objects={copies}
        keyOf={({ name }) => name}
        columns={copyColumns}
        empty={null}
      />
      <p>
        The console does not ask LINSTOR. It shows where the copies were when await-empty last looked. LINSTOR's own
        list: <code>linstor resource list --nodes {name}</code>
      </p>
      {!isEvacuated ? null : deletionTimestamp ? (
        <Act action={undo(satellite, node, cluster?.spec ?? {}, isPolicyKnown)} />
      ) : (
        <p>
          If its Machine is being deleted, no one can cancel that. See “Undo an evacuation” in docs/satellites.md of
          Holdfast.
        </p>
      )}
    </section>
  );
}

interface Copies {
  /** The resource definition in LINSTOR, which is also the volume's handle. */
  readonly name: string;
  /** How many there were; `undefined` for a resource that was placed on the node after the evacuation had begun. */
  readonly before: number | undefined;
  /** Nodes with what is said of the copy there. */
  readonly noted: readonly (readonly [node: string, state: string])[];
  readonly volume: PersistentVolumeObject | undefined;
}

const copyColumns: readonly Column<Copies>[] = [
  { title: "Resource in LINSTOR", value: ({ name }) => name },
  { title: "Copies before the evacuation", value: ({ before }) => before },
  { title: "Copies last seen", value: ({ noted }) => noted.map(([node, state]) => `${node}: ${state}`).join("; ") },
  linkColumn("PersistentVolume", ({ volume }) => volume && referenceTo(volume)),
];
