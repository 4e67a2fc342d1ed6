import { type KeptVolume, keptVolumes } from "../../functions/undelete/lib/kept-volume.ts";
import { namespaceLabel } from "../../functions/undelete/lib/note.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { Volume } from "../../shared/storage/volume.ts";

/** The volumes that are kept for claims of a namespace, or of all. @throws ApiError */
export async function findKept(client: Client, namespace?: string): Promise<readonly KeptVolume[]> {
  const labelSelector = namespace === undefined ? namespaceLabel : `${namespaceLabel}=${namespace}`;
  return keptVolumes(await Array.fromAsync(client.list<Volume>(PersistentVolume, { labelSelector })));
}

/**
 * A kept volume by its name, live.
 *
 * @throws UserError where there is none of that name, or it is not kept.
 */
export async function getKept(client: Client, named: string): Promise<KeptVolume> {
  const name = named.replace(/^(pv|persistentvolumes?)\//i, "");
  const volume = await client.get<Volume>(PersistentVolume, undefined, name);
  if (!volume) throw new UserError(`There is no volume ${name}. Those that are kept: holdfast restore list`);
  const [kept] = keptVolumes([volume]);
  if (kept) return kept;
  const { namespace, name: claim } = volume.spec.claimRef ?? {};
  const isBound = volume.status?.phase === "Bound";
  throw new UserError(
    isBound
      ? `Volume ${name} is in use by claim ${namespace}/${claim}. How long it is kept after that: ` +
          `kubectl annotate pvc ${claim} -n ${namespace} holdfast.dev/keep-volume-for=7d --overwrite`
      : `Volume ${name} is not kept by Holdfast: it has no note of undelete that can be read.`,
  );
}
