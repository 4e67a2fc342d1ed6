import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { noticesOf } from "../functions/notices.mjs";
import { buildClient } from "../functions/with-client.mjs";
import { noticesFile } from "../functions/with-notices.mjs";
import { bundleProgram } from "./bundle-program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

// An older Node fails in the middle of a package, with all of its text.
const needsNode24 =
  "if(parseInt(process.versions.node)<24){process.stderr.write(" +
  '"holdfast: Node 24 or newer is needed, and this is "+process.version+".\\n");process.exit(2)}';
// Packages of the CommonJS kind look for Node's modules by `require`.
const withRequire = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

// One file with all that the program needs: what `bin` in package.json names, and `npm pack` packs.
const inputs = await bundleProgram({
  entryPoints: ["cli/main.ts"],
  outfile: "dist/holdfast.mjs",
  format: "esm",
  banner: { js: `${withRequire}${needsNode24}` },
});
// The pages that its console shows.
const pages = existsSync(join(root, "console/build.mjs")) ? await buildClient(join(root, "dist/console")) : [];
await writeFile(join(root, "dist", noticesFile), await noticesOf([...inputs, ...pages], root));
