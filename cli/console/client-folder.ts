import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../../shared/command/user-error.ts";

/**
 * The folder of the console's pages: beside the packed program; of the sources they are built into `folder`.
 *
 * @throws UserError where there are none
 */
export async function clientFolder(folder: string): Promise<string> {
  const packed = fileURLToPath(new URL("console/", import.meta.url));
  if (existsSync(join(packed, "index.html"))) return packed;
  const builder = new URL("../../console/build.mjs", import.meta.url);
  if (!existsSync(builder)) throw new UserError("This program was built without the pages of the console.");
  // By its address: the packed program has no bundler.
  const { buildConsole } = await import(builder.href);
  await buildConsole(folder);
  return folder;
}
