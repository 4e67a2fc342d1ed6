import { createHash } from "node:crypto";

/** What a release was made from. */
export interface ReleaseOrigin {
  readonly version: string;
  /** The commit; absent where there is none, or where the tree is not as it has it. */
  readonly commit?: string;
  /** The text of package-lock.json. */
  readonly lock: string;
  readonly repository: string;
  readonly digests: ReadonlyMap<string, string>;
  readonly tools: Readonly<Record<string, string>>;
}

export const sha256Of = (content: Buffer | string): string => createHash("sha256").update(content).digest("hex");

/**
 * Where the files of a release are from, as an in-toto statement with SLSA's predicate. It names no time and no
 * machine: who builds the same commit with the same images gets the same files, and the same statement. It is not
 * signed: `.github/workflows/release.yml` says how one is.
 */
export function releaseProvenance(files: ReadonlyMap<string, Buffer>, origin: ReleaseOrigin): string {
  const { version, commit, lock, repository, digests, tools } = origin;
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...files].map(([name, content]) => ({ name, digest: { sha256: sha256Of(content) } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "https://holdfast.dev/release/v1",
        externalParameters: { version, repository },
        resolvedDependencies: [
          ...(commit ? [{ uri: "git+holdfast", digest: { gitCommit: commit }, annotations: { role: "source" } }] : []),
          { name: "package-lock.json", digest: { sha256: sha256Of(lock) }, annotations: { role: "packages" } },
          ...[...digests].map(([name, digest]) => ({
            uri: `pkg:oci/${name.split("/").at(-1)}?repository_url=${encodeURIComponent(`${repository}/${name}`)}`,
            digest: { sha256: digest.replace("sha256:", "") },
            annotations: { role: "image" },
          })),
        ],
      },
      runDetails: { builder: { id: "https://holdfast.dev/release/builder", version: tools } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
