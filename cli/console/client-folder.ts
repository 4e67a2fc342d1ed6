import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as sea from "node:sea";
import { fileURLToPath } from "node:url";
import { UserError } from "../../shared/command/user-error.ts";

/**
 * The folder of the console's pages: beside the packed program. Of the sources they are built into `folder`, and what
 * is one file with Node writes them there.
 *
 * @throws UserError where there are none
 */
export async function clientFolder(folder: string): Promise<string> {
  if (sea.isSea()) {
    for (const asset of sea.getAssetKeys()) {
      const file = join(folder, asset);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, new Uint8Array(sea.getRawAsset(asset)));
    }
    return folder;
  }
  const packed = fileURLToPath(new URL("console/", import.meta.url));
  if (existsSync(join(packed, "index.html"))) return packed;
  const builder = new URL("../../console/build.mjs", import.meta.url);
  if (!existsSync(builder)) throw new UserError("This program was built without the pages of the console.");
  // By its address: the packed program has no bundler.
  const { buildConsole } = await import(builder.href);
  await buildConsole(folder);
  return folder;
}
