import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { inject } from "postject";
import { bundleProgram } from "../cli/bundle-program.ts";
import { gzipOf } from "../images/layer/gzip.ts";
import { type LayerFile, tarOf } from "../images/layer/tar.ts";
import type { Platform } from "../images/oci/descriptor.ts";
import { lockedNode } from "../images/runtime/locked-node.ts";
import { filesOf } from "../images/runtime/npm-package.ts";
import { signAdHoc } from "./sign-ad-hoc.ts";
import { builderNode, type SingleFilePlatform, singleFileNode, singleFilePlatforms } from "./single-file-node.ts";
import { withoutCertificates } from "./without-certificates.ts";

/** What Node looks for in its own file, by its documentation of single executable applications. */
const resource = "NODE_SEA_BLOB";
const sentinelFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Node's name for an architecture. */
const architectures: Readonly<Record<string, string>> = { amd64: "x64", arm64: "arm64" };

/** What is put into Node, as its configuration has it, in a folder. */
interface Prepared {
  readonly folder: string;
  readonly config: object;
}

/**
 * The command line as one file with Node, for Linux on `platforms`, for macOS and for Windows: archives by their names.
 * The pages of its console are those of `pages`.
 */
export async function singleFiles(
  root: string,
  version: string,
  platforms: readonly Platform[],
  pages: string,
  scratch: string,
): Promise<ReadonlyMap<string, Buffer>> {
  const prepared = { folder: scratch, config: await prepare(root, version, pages, scratch) };
  const own = [
    { path: "LICENSE", content: await readFile(join(root, "LICENSE")) },
    { path: "THIRD-PARTY-NOTICES.txt", content: await readFile(join(dirname(pages), "THIRD-PARTY-NOTICES.txt")) },
  ];
  const archives = new Map<string, Promise<Buffer>>();
  const add = async (platform: string, files: readonly LayerFile[]) => {
    archives.set(`holdfast-${version}-${platform}.tar.gz`, gzipOf(await tarOf([...files, ...own])));
  };
  const blob = await blobOf(prepared);
  for (const platform of platforms) {
    const node = await filesOf(await lockedNode(root, platform), ["bin/node", "LICENSE"]);
    const program = join(scratch, `holdfast-${platform.architecture}`);
    await writeFile(program, node.get("bin/node") as Buffer);
    await inject(program, resource, blob, { sentinelFuse });
    await add(`${platform.os}-${architectures[platform.architecture]}`, [
      { path: "holdfast", content: await readFile(program), executable: true },
      { path: "LICENSE-node", content: node.get("LICENSE") as Buffer },
    ]);
  }
  const builder = await filesOf(builderNode(process.arch), ["bin/node", "LICENSE"]);
  await writeFile(join(scratch, "node"), builder.get("bin/node") as Buffer, { mode: 0o755 });
  for (const platform of singleFilePlatforms)
    await add(platform, [
      {
        path: platform.startsWith("win-") ? "holdfast.exe" : "holdfast",
        content: await putIntoNode(platform, prepared),
        executable: true,
      },
      { path: "LICENSE-node", content: builder.get("LICENSE") as Buffer },
    ]);
  const files = [...archives].map(async ([name, archive]) => [name, await archive] as const);
  return new Map(await Promise.all(files));
}

/** What is put into Node, in the format of the Node that runs this. */
async function blobOf({ folder, config }: Prepared): Promise<Buffer> {
  const [output, file] = ["holdfast.blob", "sea.json"];
  await writeFile(join(folder, file), JSON.stringify({ ...config, output }));
  await promisify(execFile)(process.execPath, ["--experimental-sea-config", file], { cwd: folder });
  return readFile(join(folder, output));
}

/** The program within the Node of a platform. The signatures of Node's project were about what it was before. */
async function putIntoNode(platform: SingleFilePlatform, { folder, config }: Prepared): Promise<Buffer> {
  const program = platform.startsWith("win-") ? "bin/node.exe" : "bin/node";
  const node = await filesOf(singleFileNode(platform), [program]);
  const [executable, output, file] = [`node-${platform}`, `holdfast-${platform}`, `${platform}.json`];
  await writeFile(join(folder, executable), node.get(program) as Buffer);
  await writeFile(join(folder, file), JSON.stringify({ ...config, executable, output }));
  await promisify(execFile)(join(folder, "node"), ["--build-sea", file], { cwd: folder });
  const made = await readFile(join(folder, output));
  if (platform.startsWith("win-")) return withoutCertificates(made);
  return signAdHoc(made, "holdfast");
}

/**
 * Bundles the program, and says what is put into Node: the program and its pages. Without a code cache it is the
 * same for each processor.
 */
async function prepare(root: string, version: string, pages: string, scratch: string): Promise<object> {
  await mkdir(scratch, { recursive: true });
  const main = join(scratch, "holdfast.cjs");
  await bundleProgram({
    // CommonJS, which cannot await at its top.
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
  return {
    main: basename(main),
    assets,
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    useSnapshot: false,
  };
}
