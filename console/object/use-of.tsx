import { Volume } from "../../functions/volume/lib/kinds.ts";
import { type PersistentVolumeObject, pathIn } from "../../functions/volume/lib/persistent-volume.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { useList } from "../api/use-list.ts";
import { usersOf } from "../claims/claim.ts";
import { ObjectLink, PodOnNode } from "../parts/object-link.tsx";
import { Known } from "../parts/page.tsx";

/** Who uses a Volume, a PersistentVolume or a claim: from the device to the pod, as far as it is known. */
export function UseOf({ object }: { readonly object: KubernetesObject }) {
  if (object.kind === PersistentVolumeClaim.kind) return <Pods claim={object} />;
  if (object.kind === PersistentVolume.kind) return <Bound volume={object as PersistentVolumeObject} />;
  return <OfVolume name={object.metadata.name} />;
}

/** The kinds that {@link UseOf} is for. */
export const isUsed = ({ kind }: KubernetesObject): boolean =>
  kind === Volume.kind || kind === PersistentVolume.kind || kind === PersistentVolumeClaim.kind;

function OfVolume({ name }: { readonly name: string }) {
  const found = useList<PersistentVolumeObject>(PersistentVolume, { fieldSelector: `metadata.name=${name}` });
  return (
    <Known list={found} what="PersistentVolumes">
      {([volume]) => (volume ? <Bound volume={volume} /> : <p>It has no PersistentVolume.</p>)}
    </Known>
  );
}

function Bound({ volume }: { readonly volume: PersistentVolumeObject }) {
  const { claimRef } = volume.spec ?? {};
  const path = pathIn(volume);
  const phase = volume.status?.phase ?? "Pending";
  return (
    <>
      {path && (
        <p>
          Device: <code>{path}</code>
        </p>
      )}
      {claimRef?.name ? (
        <>
          <p>
            Its PersistentVolume is {phase}, of the claim{" "}
            <ObjectLink to={{ kind: PersistentVolumeClaim.kind, name: "", ...claimRef }} />.
          </p>
          <OfClaim {...claimRef} />
        </>
      ) : (
        <p>Its PersistentVolume is {phase}, and no claim has it.</p>
      )}
    </>
  );
}

function OfClaim({ namespace, name, uid }: NonNullable<NonNullable<PersistentVolumeObject["spec"]>["claimRef"]>) {
  const claims = useList(PersistentVolumeClaim, { namespace, fieldSelector: `metadata.name=${name}` });
  return (
    <Known list={claims} what="Claims">
      {([claim]) => (claim && claim.metadata.uid === uid ? <Pods claim={claim} /> : <p>The claim is gone.</p>)}
    </Known>
  );
}

function Pods({ claim }: { readonly claim: KubernetesObject }) {
  const pods = useList(Pod, { namespace: claim.metadata.namespace });
  return (
    <Known list={pods} what="Pods">
      {(pods) => {
        const users = usersOf(pods)(claim);
        if (users.length === 0) return <p>No pod uses the claim.</p>;
        return users.map((pod) => (
          <p key={pod.metadata.uid}>
            It is used by the pod <PodOnNode pod={pod} />.
          </p>
        ));
      }}
    </Known>
  );
}
