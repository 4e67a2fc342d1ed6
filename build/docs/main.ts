import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseFlags } from "../../shared/command/parse-flags.ts";
import { runCommand } from "../../shared/command/run-command.ts";
import { writeSite } from "./write-site.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const help = `Builds the documentation site of the documents in this repository. Open its
index.html in a browser: it needs no server and no network.

  npm run docs [-- options]

  --out FOLDER  where to; dist/docs if it is not given. The folder is replaced.
  --help        this text
`;

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseFlags("npm run docs", {
    args: [...args],
    options: { out: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const folder = values.out ?? join(root, "dist/docs");
  const pages = await writeSite(root, folder);
  console.log(`${pages.length} pages: open ${join(folder, "index.html")} in a browser.`);
  return 0;
}

await runCommand(() => main(process.argv.slice(2)));
