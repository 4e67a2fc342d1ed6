import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Truth } from "../invariants/invariant.ts";
import type { SimulatedSalt } from "./salt.ts";

// Definitions of the simulation's own, apart from those of the rules that it judges.

export const guard = "storage.metalk8s.scality.com/volume-protection";

export interface VolumeLike extends KubernetesObject {
  readonly spec: { readonly nodeName: string };
  readonly status?: {
    readonly phase?: string;
    readonly job?: string;
    readonly deviceName?: string;
    readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
  };
}

export interface PublishedLike extends KubernetesObject {
  readonly spec: { readonly local?: { path?: string }; readonly claimRef?: { name?: string; uid?: string } };
  readonly status?: { readonly phase?: string };
}

export const saltOf = ({ outsides }: Pick<Truth, "outsides">) => outsides.get("volume") as SimulatedSalt;

/** What lies on all nodes. */
export const storageOf = (truth: Pick<Truth, "outsides">) => {
  const { nodes } = saltOf(truth);
  return {
    files: new Map(nodes.flatMap(({ files }) => [...files])),
    records: new Map(nodes.flatMap(({ records }) => [...records])),
  };
};

export const volumesOf = ({ history }: Truth) => history.live("Volume") as VolumeLike[];

/** The PersistentVolume that is made of a Volume: at a path that names it. */
export const publishedOf = ({ history }: Truth, { metadata }: KubernetesObject) =>
  (history.live("PersistentVolume") as PublishedLike[]).find(
    ({ spec }) => spec.local?.path?.includes(metadata.uid) === true,
  );

export const readyOf = (volume: KubernetesObject | undefined) =>
  (volume as VolumeLike | undefined)?.status?.conditions?.find(({ type }) => type === "Ready");

export const isAvailable = (volume: KubernetesObject | undefined) => readyOf(volume)?.status === "True";

export const jobIn = (volume: KubernetesObject | undefined) => (volume as VolumeLike | undefined)?.status?.job ?? "";
