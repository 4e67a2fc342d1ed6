import type { StoragePool } from "../schema/satellite-spec.ts";

/** Property of a pool: where on its node the storage is. */
export const storageKey = "StorDriver/StorPoolName";

/** How LINSTOR names the kind of a pool, and where its storage is: a volume group, thin pool, directory or zpool. */
export interface Backing {
  readonly provider: string;
  readonly storage: string;
}

/**
 * The storage of a pool, with piraeus-operator's names where the spec gives none; `undefined` when it is of no known
 * kind.
 */
export function backingOf({ name, ...pool }: StoragePool): Backing | undefined {
  if (pool.lvmPool) return { provider: "LVM", storage: pool.lvmPool.volumeGroup || name };
  if (pool.lvmThinPool) {
    const thin = pool.lvmThinPool.thinPool || name;
    return { provider: "LVM_THIN", storage: `${pool.lvmThinPool.volumeGroup || `linstor_${thin}`}/${thin}` };
  }
  if (pool.filePool) return { provider: "FILE", storage: pool.filePool.directory || directoryOf(name) };
  if (pool.fileThinPool) return { provider: "FILE_THIN", storage: pool.fileThinPool.directory || directoryOf(name) };
  if (pool.zfsPool) return { provider: "ZFS", storage: pool.zfsPool.zPool || name };
  if (pool.zfsThinPool) return { provider: "ZFS_THIN", storage: pool.zfsThinPool.zPool || name };
  return undefined;
}

const directoryOf = (name: string) => `/var/lib/linstor-pools/${name}`;

/** Directories of the Node that a satellite's pools of files are in. */
export function directoriesOf(pools: readonly StoragePool[]): readonly string[] {
  const backings = pools.filter(({ filePool, fileThinPool }) => filePool || fileThinPool).map(backingOf);
  return [...new Set(backings.flatMap((backing) => (backing ? [backing.storage] : [])))];
}
