import { FormSelect, FormSelectOption, ToolbarItem } from "@patternfly/react-core";
import { lazy, Suspense, useCallback, useMemo } from "react";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import type { PersistentVolumeObject } from "../../functions/volume/lib/persistent-volume.ts";
import { phaseOf, reasonOf, type VolumeObject } from "../../functions/volume/lib/volume.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { referenceTo } from "../../shared/kubernetes/object.ts";
import { useRefused } from "../api/access.ts";
import { objectsOf, useList } from "../api/use-list.ts";
import { useAddress } from "../parts/address.ts";
import { ageColumn, linkColumn, stateColumn } from "../parts/columns.tsx";
import { type Column, ObjectTable } from "../parts/object-table.tsx";
import { Empty, Known, Page } from "../parts/page.tsx";
import { Reasoned } from "../parts/reasoned.tsx";
import { deleteVolume } from "./delete-volume.ts";
import { messageOf, persistentVolumeOf, storageOf, toneOf } from "./volume-state.ts";

const CreateVolume = lazy(() => import("./create-volume.tsx"));
const phases = ["Unknown", "Pending", "Available", "Failed", "Terminating"] as const;

/** Volumes of all nodes, or of one: what they are, how far they are, and what may be done with them. */
export default function Volumes() {
  const volumes = useList<VolumeObject>(Volume);
  const persistent = useList<PersistentVolumeObject>(PersistentVolume);
  const [address, setAddress] = useAddress();
  const byName = useMemo(() => new Map(objectsOf(persistent).map((one) => [one.metadata.name, one])), [persistent]);
  const node = address.get("node") ?? "";
  const phase = address.get("state") ?? "";
  const all = objectsOf(volumes);
  const nodes = useMemo(() => [...new Set(all.map(({ spec }) => spec.nodeName))].sort(), [all]);
  const passes = useCallback(
    (one: VolumeObject) => (!node || one.spec.nodeName === node) && (!phase || phaseOf(one) === phase),
    [node, phase],
  );
  const may = useRefused({ verb: "create", kind: Volume, name: "", object: {} });
  const refused = volumes.is === "absent" ? "Volumes are not installed." : may;
  const create = () => setAddress({ create: "1" });
  return (
    <Page
      title="Volumes"
      intro="A Volume is storage on one node, which Salt prepares there, and which becomes a PersistentVolume."
      actions={
        <Reasoned why={refused} onClick={create}>
          Create Volumes
        </Reasoned>
      }
    >
      <Known list={volumes} what="Volumes" absent="Install the system volume: see docs/volumes.md of Holdfast.">
        {(all) => (
          <ObjectTable
            what="Volumes"
            objects={all}
            passes={passes}
            columns={columnsWith(byName)}
            filters={
              <>
                <Filter name="Node" values={nodes} />
                <Filter name="State" values={phases} />
              </>
            }
            empty={<Empty title="There are no Volumes">Create one to give claims storage of a node.</Empty>}
            actions={(volume) => [deleteVolume(volume, persistent.is === "ready" ? byName : undefined)]}
          />
        )}
      </Known>
      {address.get("create") !== null && (
        <Suspense>
          <CreateVolume refused={refused} onClose={() => setAddress({ create: undefined })} />
        </Suspense>
      )}
    </Page>
  );
}

const columnsWith = (byName: ReadonlyMap<string, PersistentVolumeObject>): readonly Column<VolumeObject>[] => [
  linkColumn("Name", referenceTo),
  linkColumn("Node", ({ spec }) => ({ kind: "Node", name: spec.nodeName })),
  { title: "Storage", value: storageOf },
  { title: "Class", value: ({ spec }) => spec.storageClassName },
  stateColumn(
    "State",
    (volume) => ({ word: phaseOf(volume), tone: toneOf[phaseOf(volume)], says: whyPhase(volume) }),
    35,
  ),
  linkColumn("Claim", (volume) => claimOf(volume, byName)),
  ageColumn("Age", ({ metadata }) => metadata.creationTimestamp),
];

/** Why it is in its state: the reason and the message of its condition, and the job in hand. */
function whyPhase(volume: VolumeObject): string {
  const reason = reasonOf(volume);
  const [step] = volume.status?.job?.split("/") ?? [];
  const isNews = reason && reason !== phaseOf(volume);
  return [isNews && `${reason}.`, step && `Job ${step}.`, messageOf(volume)].filter(Boolean).join(" ");
}

function claimOf(volume: VolumeObject, byName: ReadonlyMap<string, PersistentVolumeObject>) {
  const { name, namespace } = persistentVolumeOf(volume, byName)?.spec?.claimRef ?? {};
  return name && namespace ? { kind: "PersistentVolumeClaim", namespace, name } : undefined;
}

/** Lets through what has one of the values; which one stands in the address. */
function Filter({ name, values }: { readonly name: string; readonly values: readonly string[] }) {
  const [address, setAddress] = useAddress();
  const key = name.toLowerCase();
  return (
    <ToolbarItem>
      <FormSelect
        aria-label={name}
        value={address.get(key) ?? ""}
        onChange={(_, value) => setAddress({ [key]: value || undefined })}
      >
        <FormSelectOption value="" label={`${name}: all`} />
        {values.map((one) => (
          <FormSelectOption key={one} value={one} label={one} />
        ))}
      </FormSelect>
    </ToolbarItem>
  );
}
