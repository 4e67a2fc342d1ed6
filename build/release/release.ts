import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { version as esbuild } from "esbuild";
import { imageNames } from "../../esbuild.config.mjs";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { gzipOf } from "../images/layer/gzip.ts";
import { tarOf } from "../images/layer/tar.ts";
import type { Progress } from "../images/progress.ts";
import { loadDeclared, loadSystems } from "../manifests/declared.ts";
import { billOfMaterials } from "./bill-of-materials.ts";
import { chartOf } from "./chart/chart.ts";
import { imagesOf, type ReleasedImages } from "./images.ts";
import type { ReleaseOptions } from "./options.ts";
import { overlaysOf, overlayYaml } from "./overlays.ts";
import { releaseNotes } from "./release-notes.ts";
import { releaseProvenance, sha256Of } from "./release-provenance.ts";
import { singleFiles } from "./single-file.ts";

const run = promisify(execFile);

/**
 * Makes all files of a release in a folder, the checksums last.
 *
 * @throws UserError
 */
export async function makeRelease(
  root: string,
  options: ReleaseOptions,
  progress: Progress,
  environment: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const { name, version, description } = JSON.parse(read("package.json"));
  // Before anything that takes long.
  const notes = releaseNotes(read("CHANGELOG.md"), version, options.isTrial);
  const images = await imagesOf(options, imageNames(), progress, environment);
  using scratch = temporaryFolder("release");
  const files = new Map<string, Buffer>([["RELEASE-NOTES.md", Buffer.from(notes)]]);
  for (const overlay of overlaysOf(root)) {
    progress.show(`overlay ${overlay}`);
    files.set(`holdfast-${version}-${overlay}.yaml`, Buffer.from(await overlayYaml(root, overlay, images)));
  }
  progress.show("chart");
  files.set(`holdfast-${version}.chart.tgz`, await chartArchive(root, version, description, images));
  progress.show("npm package");
  files.set(`holdfast-${version}.npm.tgz`, await npmPackage(root, scratch.path));
  files.set(`holdfast-${version}.cdx.json`, Buffer.from(await billOfMaterials(root, name)));
  await run(process.execPath, [join(root, "build/notices/main.ts"), join(scratch.path, "notices")], { cwd: root });
  files.set("THIRD-PARTY-NOTICES.txt", readFileSync(join(scratch.path, "notices")));
  if (process.platform === "linux") {
    progress.show("the command line as one file");
    const { platforms } = options.build;
    const programs = await singleFiles(root, version, platforms, join(root, "dist/console"), join(scratch.path, "sea"));
    for (const [file, content] of programs) files.set(file, content);
  } else progress.warn("The command line as one file is made on Linux only, and is not part of this release.");

  const sorted = new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)));
  const commit = await cleanCommit(root);
  if (!commit) progress.warn("The tree is not that of a commit; the statement of provenance names none.");
  const tools = { node: process.versions.node, esbuild };
  const origin = { version, ...(commit ? { commit } : {}), lock: read("package-lock.json"), ...images, tools };
  sorted.set(`holdfast-${version}.provenance.json`, Buffer.from(releaseProvenance(sorted, origin)));
  const sums = [...sorted].map(([file, content]) => `${sha256Of(content)}  ${file}\n`).join("");
  sorted.set("SHA256SUMS", Buffer.from(sums));

  await rm(options.folder, { recursive: true, force: true });
  await mkdir(options.folder, { recursive: true });
  for (const [file, content] of sorted) await writeFile(join(options.folder, file), content);
  return [...sorted.keys()];
}

async function chartArchive(
  root: string,
  version: string,
  description: string,
  { repository, digests }: ReleasedImages,
): Promise<Buffer> {
  const [functions, systems] = await Promise.all([loadDeclared(root), loadSystems(root)]);
  const chart = await chartOf({ root, functions, systems, version, description, repository, digests });
  const files = [...chart].map(([path, text]) => ({ path: `holdfast/${path}`, content: Buffer.from(text) }));
  return gzipOf(await tarOf(files));
}

/** npm's own archive, with its own fixed time. Building it makes the pages of the console, too. */
async function npmPackage(root: string, folder: string): Promise<Buffer> {
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root });
  return readFileSync(join(folder, stdout.trim().split("\n").at(-1) as string));
}

/** The commit, if the tree is as it has it. */
async function cleanCommit(root: string): Promise<string | undefined> {
  try {
    const { stdout: changed } = await run("git", ["status", "--porcelain"], { cwd: root });
    if (changed.trim() !== "") return undefined;
    const { stdout } = await run("git", ["rev-parse", "HEAD"], { cwd: root });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
