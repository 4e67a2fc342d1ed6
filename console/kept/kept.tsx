import { namespaceLabel, readNote, reclaimAtKey } from "../../functions/undelete/lib/note.ts";
import { Namespace, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { referenceTo } from "../../shared/kubernetes/object.ts";
import { readProgress } from "../../shared/progress.ts";
import type { Volume } from "../../shared/storage/volume.ts";
import { useList } from "../api/use-list.ts";
import { Age } from "../parts/age.tsx";
import { linkColumn, stateColumn } from "../parts/columns.tsx";
import { type Column, ObjectTable } from "../parts/object-table.tsx";
import { Empty, Known, Page } from "../parts/page.tsx";
import { actionsFor } from "./actions.ts";

/** The note's steps as a person would say them. */
const states = {
  retained: { word: "In use", tone: "plain" },
  overruled: { word: "Policy changed by hand", tone: "warning" },
  unkept: { word: "Not kept: too much is", tone: "warning" },
  kept: { word: "Kept", tone: "busy" },
  asks: { word: "Needs a person", tone: "bad" },
  offered: { word: "Offered", tone: "good" },
} as const;

const stateOf = (volume: Volume) => states[readNote(volume)?.step ?? "kept"];
const because = (volume: Volume) => readProgress(volume, "undelete/note")?.because ?? "";
const claimOf = (volume: Volume) => {
  const claim = readNote(volume)?.claim;
  return claim && { kind: "PersistentVolumeClaim", ...claim };
};

/** Volumes that outlive their claims, until when, and what a person may do with them. */
export default function Kept() {
  const volumes = useList<Volume>(PersistentVolume, { labelSelector: namespaceLabel });
  const namespaces = useList(Namespace);
  return (
    <Page
      title="Kept volumes"
      intro="Volumes that Holdfast keeps after their claims are deleted, and offers to claims of the same name."
    >
      <Known list={volumes} what="PersistentVolumes">
        {(volumes) => (
          <ObjectTable
            what="kept volumes"
            objects={volumes}
            columns={columns}
            empty={
              <Empty title="No volume is kept">
                Annotate a claim, a namespace or a StorageClass with holdfast.dev/keep-volume-for to keep volumes.
              </Empty>
            }
            actions={(volume) => actionsFor(volume, namespaces)}
          />
        )}
      </Known>
    </Page>
  );
}

const columns: readonly Column<Volume>[] = [
  linkColumn("Volume", referenceTo),
  linkColumn("Claim", claimOf, { otherwise: "unknown" }),
  stateColumn("State", (volume) => ({ ...stateOf(volume), says: because(volume) }), 35),
  {
    title: "Kept until",
    value: (volume) => volume.metadata.annotations?.[reclaimAtKey] ?? "for good",
    cell: (volume) =>
      volume.metadata.annotations?.[reclaimAtKey] ? (
        <Age at={volume.metadata.annotations[reclaimAtKey]} />
      ) : readNote(volume)?.step === "retained" ? (
        `${readNote(volume)?.for} after its claim`
      ) : readNote(volume)?.step === "unkept" ? (
        "its claim is deleted"
      ) : (
        "for good"
      ),
  },
];
