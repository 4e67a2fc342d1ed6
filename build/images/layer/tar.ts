import { pack } from "tar-stream";

/** A file of a layer. */
export interface LayerFile {
  /** From the root of the image, without a slash in front. */
  readonly path: string;
  readonly content: Buffer;
  readonly executable?: boolean;
}

const folderMode = 0o755;
const fileMode = 0o644;
const executableMode = 0o755;

/**
 * Files as a tar archive, with the folders above them. Nothing of the machine gets in: owner root, time zero, modes
 * that no umask has touched, entries sorted by path. The same files always make the same bytes.
 */
export async function tarOf(files: readonly LayerFile[]): Promise<Buffer> {
  const archive = pack();
  const entry = { uid: 0, gid: 0, uname: "", gname: "", mtime: new Date(0) };
  for (const name of foldersAbove(files)) archive.entry({ ...entry, name, type: "directory", mode: folderMode });
  for (const { path, content, executable } of files.toSorted(byPath)) {
    const mode = executable ? executableMode : fileMode;
    archive.entry({ ...entry, name: path, type: "file", mode, size: content.length }, content);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** By code units: an order that follows the locale would not be the same everywhere. */
const byPath = (one: LayerFile, other: LayerFile) => (one.path < other.path ? -1 : 1);

/** Each after those above it. */
function foldersAbove(files: readonly LayerFile[]): readonly string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    const parts = path.split("/").slice(0, -1);
    for (const [index] of parts.entries()) folders.add(parts.slice(0, index + 1).join("/"));
  }
  return [...folders].sort();
}
