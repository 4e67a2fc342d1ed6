import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { baseOf } from "../../build/images/base/base-of.ts";
import { buildRelease } from "../../build/images/build-release.ts";
import type { Release } from "../../build/images/oci/image.ts";
import { registryAccessOf } from "../../build/images/registry/registry-access.ts";
import { writeEmptyBase } from "../../build/images/testing/empty-base.ts";
import { functionNames } from "../../esbuild.config.mjs";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { firstAnswer } from "../budget/first-answer.ts";
import { irrelevantEvent } from "../budget/irrelevant-event.ts";
import { interleave, median } from "../statistics.ts";
import { megabytes, milliseconds, table, times } from "../table.ts";
import { hasRegistry, measurePushes } from "./push.ts";
import { layersOf, unpack } from "./unpack.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const bare = fileURLToPath(new URL("../budget/bare-server.cjs", import.meta.url));
const measured = "pvc-protection/release";
const rounds = 10;

/**
 * Builds the images of all functions, or of those that are named, for this machine, on a base with nothing in it, and
 * measures what each of them adds, what a push of one takes, and how fast a function starts from the files of its
 * image.
 */
export async function run(args: readonly string[]): Promise<void> {
  using folder = temporaryFolder("bench-image");
  const releases = await buildAll(folder.path, args.length > 0 ? args : functionNames());
  await printSizes(releases);
  await printPushes(releases);
  await printStart(folder.path, releases);
}

async function buildAll(folder: string, names: readonly string[]): Promise<readonly Release[]> {
  const layout = join(folder, "base");
  await writeEmptyBase(layout);
  const architecture = { x64: "amd64" }[process.arch as string] ?? process.arch;
  const options = { platforms: [{ os: process.platform, architecture }], base: `oci:${layout}`, sbom: false };
  const base = await baseOf({ ...options, insecure: false }, folder, registryAccessOf({}, false));
  const workshop = {
    root,
    work: join(root, "dist/images"),
    base,
    created: new Date(0).toISOString(),
    sbom: false,
    show: () => {},
    warn: (line: string) => console.log(line),
  };
  const releases: Release[] = [];
  for (const name of names) {
    console.log(`Building ${name} ...`);
    releases.push(await buildRelease(name, workshop));
  }
  return releases;
}

async function printSizes(releases: readonly Release[]): Promise<void> {
  const layers = await Promise.all(releases.map(layersOf));
  const row = (what: string, size: number) => ({ what, cells: [megabytes(size)] });
  const own = layers.map(({ own }, index) => row(releases[index]?.name ?? "", own.descriptor.size));
  const shared = new Map(layers.map(({ node }) => [node.descriptor.digest, node.descriptor.size]));
  const nodes = [...shared.values()].map((size) => row("Node, which all share", size));
  console.log(`\n${table(["layer, compressed, beside the base", ""], [...own, ...nodes])}`);
}

async function printPushes([one, other]: readonly Release[]): Promise<void> {
  if (!one || !other) return console.log("\nPushes are measured with two functions or more.");
  if (!hasRegistry()) return console.log("\nPushes are not measured: that takes docker-registry, which Debian has.");
  const { first, further, changed, unchanged } = await measurePushes([one, other], rounds);
  const rows = [
    { what: "the first function, with Node", cells: [milliseconds(first)] },
    { what: "a further function", cells: [milliseconds(further)] },
    { what: `a changed function, median of ${rounds}`, cells: [milliseconds(median(changed))] },
    { what: `an unchanged function, median of ${rounds}`, cells: [milliseconds(median(unchanged))] },
  ];
  console.log(`\n${table(["pushed to a registry on loopback", ""], rows)}`);
}

async function printStart(folder: string, releases: readonly Release[]): Promise<void> {
  const release = releases.find(({ name }) => name === measured) ?? releases[0];
  if (!release) return;
  const program = await unpack(await layersOf(release), folder);
  const programs = [{ ...program, args: [bare], environment: {} }, program];
  const event = irrelevantEvent();
  // Once for the disk's sake.
  await interleave(1, programs, (program) => firstAnswer(program, event));
  const results = await interleave(2 * rounds, programs, (program) => firstAnswer(program, event));
  const [theirs = 0, ours = 0] = results.map((answers) => median(answers.map(({ time }) => time)));
  const cells = [milliseconds(ours), milliseconds(theirs), times(ours / theirs)];
  const what = `${release.name}, median of ${2 * rounds}`;
  console.log(
    `\n${table(["start to first answer, from the image's files", "function", "bare Node", ""], [{ what, cells }])}`,
  );
}
