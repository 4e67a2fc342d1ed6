import { FormGroup, TextInput } from "@patternfly/react-core";
import { useState } from "react";
import { namespaceLabel, readNote, reclaimAtKey, reclaimTime } from "../../functions/undelete/lib/note.ts";
import { readTime } from "../../functions/undelete/lib/read-time.ts";
import { Namespace, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { readProgress } from "../../shared/progress.ts";
import type { Volume } from "../../shared/storage/volume.ts";
import { type Objects, useList } from "../api/use-list.ts";
import { Act } from "../parts/act.tsx";
import { Age, useNow } from "../parts/age.tsx";
import { linkColumn, stateColumn } from "../parts/columns.tsx";
import { type Column, ObjectTable } from "../parts/object-table.tsx";
import { Empty, Known, Page } from "../parts/page.tsx";
import { keepForGood, keepUntil, nameSuccessor, offer, reclaim, withhold } from "./actions.ts";

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
            actions={(volume) => <Actions volume={volume} namespaces={namespaces} />}
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

interface ActionsProps {
  readonly volume: Volume;
  readonly namespaces: Objects<KubernetesObject>;
}

function Actions({ volume, namespaces }: ActionsProps) {
  const step = readNote(volume)?.step;
  const successor = nameSuccessor(volume, namespaces);
  if (step !== "kept" && step !== "asks" && step !== "offered") return null;
  const isTimed = Number.isFinite(reclaimTime(volume));
  return (
    <div className="hf-actions">
      <KeepLonger volume={volume} />
      {isTimed && <Act action={keepForGood(volume)} />}
      <Act action={reclaim(volume)} />
      {step === "offered" ? (
        <Act key="withhold" action={withhold(volume)} />
      ) : (
        <Act key="offer" action={offer(volume)} />
      )}
      {successor && <Act action={successor} />}
    </div>
  );
}

function KeepLonger({ volume }: { readonly volume: Volume }) {
  const now = useNow();
  const given = reclaimTime(volume);
  const [text, setText] = useState(() =>
    new Date((Number.isFinite(given) ? given : now) + 7 * 86_400_000).toISOString().replace(/\.\d+Z$/, "Z"),
  );
  const time = readTime(text);
  const problem = Number.isNaN(time)
    ? "Write a time as RFC 3339 has it, such as 2030-01-31T12:00:00Z."
    : time <= now
      ? "This time is past: choose Reclaim now instead."
      : undefined;
  const action = keepUntil(volume, text);
  const form = (
    <FormGroup label="Keep until" fieldId="until">
      <TextInput
        id="until"
        value={text}
        validated={problem ? "error" : "default"}
        onChange={(_, value) => setText(value)}
      />
      {problem}
    </FormGroup>
  );
  return <Act action={{ ...action, form, problem }} />;
}
