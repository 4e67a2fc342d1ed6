import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { inject } from "postject";
import { bundleProgram } from "../cli/bundle-program.ts";
import { gzipOf } from "../images/layer/gzip.ts";
import { tarOf } from "../images/layer/tar.ts";
import type { Platform } from "../images/oci/descriptor.ts";
import { lockedNode } from "../images/runtime/locked-node.ts";
import { filesOf } from "../images/runtime/npm-package.ts";

/** What Node looks for in its own file, by its documentation of single executable applications. */
const resource = "NODE_SEA_BLOB";
const sentinelFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Node's name for an architecture. */
const architectures: Readonly<Record<string, string>> = { amd64: "x64", arm64: "arm64" };

/**
 * The command line as one file with Node, for each platform: archives by their names. The pages of its console are
 * those of `pages`.
 */
export async function singleFiles(
  root: string,
  version: string,
  platforms: readonly Platform[],
  pages: string,
  scratch: string,
): Promise<ReadonlyMap<string, Buffer>> {
  const blob = await prepare(root, version, pages, scratch);
  const files = new Map<string, Buffer>();
  for (const platform of platforms) {
    const node = await filesOf(await lockedNode(root, platform), ["bin/node", "LICENSE"]);
    const program = join(scratch, `holdfast-${platform.architecture}`);
    await writeFile(program, node.get("bin/node") as Buffer);
    await inject(program, resource, blob, { sentinelFuse });
    const archive = await tarOf([
      { path: "holdfast", content: await readFile(program), executable: true },
      { path: "LICENSE", content: await readFile(join(root, "LICENSE")) },
      { path: "LICENSE-node", content: node.get("LICENSE") as Buffer },
      { path: "THIRD-PARTY-NOTICES.txt", content: await readFile(join(dirname(pages), "THIRD-PARTY-NOTICES.txt")) },
    ]);
    const name = `holdfast-${version}-${platform.os}-${architectures[platform.architecture]}.tar.gz`;
    files.set(name, await gzipOf(archive));
  }
  return files;
}

/** What is put into Node: the program and its pages. Without a code cache it is the same for each processor. */
async function prepare(root: string, version: string, pages: string, scratch: string): Promise<Buffer> {
  await mkdir(scratch, { recursive: true });
  const main = join(scratch, "holdfast.cjs");
  await bundleProgram({
    // Node 24 runs CommonJS from its own file, which cannot await at its top.
    stdin: {
      contents:
        'import { runCommand } from "./shared/command/run-command.ts";\n' +
        'import { runProgram } from "./cli/program.ts";\n' +
        "void runCommand(() => runProgram(process.argv.slice(2)));\n",
      resolveDir: root,
      loader: "ts",
    },
    outfile: main,
    format: "cjs",
    // What asks where its own file is finds no other file beside it, and does so before.
    logOverride: { "empty-import-meta": "silent" },
    plugins: [
      {
        name: "embed version",
        setup(build) {
          const contents = `export const version = () => ${JSON.stringify(version)};`;
          build.onLoad({ filter: /[\\/]cli[\\/]version\.ts$/ }, () => ({ contents, loader: "ts" }));
        },
      },
    ],
  });
  const assets = Object.fromEntries(
    globSync("**/*.*", { cwd: pages })
      .sort()
      .map((file) => [file.replaceAll("\\", "/"), join(pages, file)]),
  );
  // What is put into Node has the path of the program in it: one that is the same everywhere.
  const [output, config] = ["holdfast.blob", "sea.json"];
  const wanted = {
    main: basename(main),
    output,
    assets,
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    useSnapshot: false,
  };
  await writeFile(join(scratch, config), JSON.stringify(wanted));
  await promisify(execFile)(process.execPath, ["--experimental-sea-config", config], { cwd: scratch });
  return readFile(join(scratch, output));
}
