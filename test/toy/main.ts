// Adds a rule and two systems to a copy of the repository, and nothing else. They must be found by their folders alone.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseFlags } from "../../shared/command/parse-flags.ts";
import { runCommand } from "../../shared/command/run-command.ts";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { finalizerOf, ruleFiles, systemFiles } from "./files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const help = `Adds a toy rule, a toy system that is installed by default, and one that is not, to a
copy of the repository; generates the manifests, and runs the checks and the tests
there. Fails when one of them does, and when any file had to be edited besides.

  npm run test:toy [-- options]

  --full  runs all of npm test, too, and not only what looks at every function
  --help  this text
`;

/**
 * What looks at every function of the repository: the generator, manifests, malformed input, what `npm start` reads,
 * and the scenarios of the toy rule's system, in which the toys run beside all that is installed by default; structure
 * is part of the checks. The tests of other functions, of the kit and of the laptop edition's parts import nothing that
 * could change.
 */
const noticing = [
  "build/manifests",
  "test/manifests",
  "test/worlds",
  "test/bad-input",
  "test/platform",
  "test/scenarios/platform",
  "test/scenarios/pvc-protection",
  "test/scenarios/rights",
  "local/start/as-applied",
  "local/start/options",
  "local/start/overlay",
  "local/start/swept-often",
  "pvc-protection/toy",
  "functions/toys",
  "functions/gadgets",
];

const toys = [
  { what: "a rule", files: ruleFiles("pvc-protection/toy") },
  { what: "a system installed by default", files: systemFiles("toys", false) },
  { what: "a system installed where it is asked for", files: systemFiles("gadgets", true) },
];

async function main(args: readonly string[]): Promise<number> {
  const options = { full: { type: "boolean" }, help: { type: "boolean" } } as const;
  const { values } = parseFlags("npm run test:toy", { args: [...args], options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  using folder = temporaryFolder("toy");
  const copy = folder.path;
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=toy", "-c", "user.email=toy@localhost", ...words], {
      cwd: copy,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of listed.toString().split("\0").filter(Boolean)) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  git("init", "--quiet");
  const keep = (message: string) => {
    git("add", "--all");
    git("commit", "--quiet", "--message", message);
  };
  keep("before");

  const rows: string[] = [];
  for (const { what, files } of toys) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    npm(copy, "run", "manifests");
    git("add", "--all");
    rows.push(rowOf(what, git("diff", "--cached", "--numstat"), Object.keys(files)));
    keep(what);
  }
  console.log(`\n${["| adding | touches | files | lines |", "| --- | --- | --- | --- |", ...rows].join("\n")}\n`);
  await seesFinalizers(copy);
  npm(copy, "run", "check");
  if (values.full) npm(copy, "test");
  // How many requests each function makes among many objects is measured outside npm test.
  npm(copy, "test", "--", "--project", "long", ...noticing);
  const edited = git("status", "--porcelain").trim();
  if (edited) throw new UserError(`The checks or the tests have edited files:\n${edited}`);
  return 0;
}

/**
 * What holds objects at an uninstall follows from the rules that are installed: of the toys, from the one that is by
 * default.
 *
 * @throws UserError when it does not.
 */
async function seesFinalizers(copy: string): Promise<void> {
  const load = (file: string) => import(pathToFileURL(join(copy, "local", file)).href);
  const { holdsOf }: typeof import("../../shared/uninstall/held-objects.ts") = await load(
    "../shared/uninstall/held-objects.ts",
  );
  const { installedRules }: typeof import("../../local/cluster/installed-rules.ts") =
    await load("cluster/installed-rules.ts");
  const { defaultInstall }: typeof import("../../local/start/manifests.ts") = await load("start/manifests.ts");
  const { readOptions }: typeof import("../../local/start/options.ts") = await load("start/options.ts");
  const holds = holdsOf(await installedRules(defaultInstall(readOptions([]))));
  const found = holds.map(({ finalizer }) => finalizer);
  if (!found.includes(finalizerOf("toys")) || found.includes(finalizerOf("gadgets")))
    throw new UserError(
      `An uninstall would see to ${found.join(", ")}, and of the toys not to ${finalizerOf("toys")} alone.`,
    );
}

/** A row of the table: what a person writes, and what follows from it. */
function rowOf(what: string, numstat: string, written: readonly string[]): string {
  const changes = numstat
    .trim()
    .split("\n")
    .map((line) => line.split("\t") as [string, string, string]);
  const sum = (ofWritten: boolean) => {
    const found = changes.filter(([, , path]) => written.includes(path) === ofWritten);
    const lines = found.reduce((all, [added, removed]) => all + Number(added) + Number(removed), 0);
    return { files: found.length, lines };
  };
  const [byHand, generated] = [sum(true), sum(false)];
  const folder = written[0]?.split("/").slice(0, -1).join("/");
  return [
    `| ${what} | \`${folder}/\`, by hand | ${byHand.files} | ${byHand.lines} |`,
    `| | manifests and tables, by \`npm run manifests\` | ${generated.files} | ${generated.lines} |`,
  ].join("\n");
}

/** @throws UserError when the command fails; it has said why. */
function npm(cwd: string, ...args: string[]): void {
  const { status } = spawnSync("npm", args, { cwd, stdio: "inherit" });
  if (status !== 0) throw new UserError(`npm ${args.join(" ")} failed with the toys beside all there is.`);
}

await runCommand(() => main(process.argv.slice(2)));
