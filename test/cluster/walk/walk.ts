import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { root } from "../../manifests/kustomization.ts";
import { kubectl } from "../kubectl.ts";

/** What stands in the place of something that is not on the machine of a test. */
export interface Substitutes {
  /** Texts of the page, and of these files of the checkout, and what they are here. */
  readonly texts: readonly (readonly [string, string])[];
  readonly files?: readonly string[];
  /** Bodies of shell scripts, by the names of the commands that they replace. */
  readonly commands: Readonly<Record<string, string>>;
}

/** A checkout of the repository in which the commands of a page are run. */
export interface Walk {
  readonly checkout: string;
  /** Runs a script in the checkout as bash does, and ends at the first command that fails. Returns what was printed. */
  run(script: string): Promise<string>;
}

/**
 * Makes a checkout in `folder`, with what administrators apply. `npm run resolve` is replaced in every walk: images are
 * neither built nor pulled here, and what kustomize makes of an overlay keeps its placeholders.
 */
export function openWalk(folder: string, kubeconfig: string, { texts, files = [], commands }: Substitutes): Walk {
  const checkout = join(folder, "checkout");
  const programs = join(folder, "programs");
  mkdirSync(programs, { recursive: true });
  for (const part of ["knative", "sources"]) cpSync(join(root, part), join(checkout, part), { recursive: true });
  // What they start finds the commands of this machine.
  for (const [name, body] of Object.entries({ npm: withoutImages, ...commands }))
    writeFileSync(join(programs, name), `#!/usr/bin/env bash\nset -euo pipefail\nPATH=\${PATH#*:}\n${body}\n`, {
      mode: 0o755,
    });
  const PATH = [programs, dirname(kubectl ?? ""), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, KUBECONFIG: kubeconfig };
  const ours = new Map(texts);
  const any = new RegExp([...ours.keys()].map((theirs) => theirs.replaceAll(".", "[.]")).join("|"), "g");
  // In one pass: what is put in place of a text may contain another one.
  const here = (text: string) => text.replace(any, (theirs) => ours.get(theirs) ?? theirs);
  for (const file of files.map((file) => join(checkout, file))) writeFileSync(file, here(readFileSync(file, "utf8")));
  return {
    checkout,
    run: (script) =>
      new Promise((done, reject) => {
        const bash = spawn("bash", ["-euxo", "pipefail", "-c", here(script)], { cwd: checkout, env });
        let said = "";
        for (const stream of [bash.stdout, bash.stderr])
          stream.setEncoding("utf8").on("data", (text: string) => {
            said += text;
          });
        bash.on("error", reject);
        bash.on("close", (code) =>
          code === 0 ? done(said) : reject(new Error(`The walk ends with ${code}:\n${said.slice(-1500)}`)),
        );
      }),
  };
}

const withoutImages = `case "$*" in
  ci) ;;
  "run holdfast -- "*) shift 3; exec ${process.execPath} ${join(root, "cli/main.ts")} "$@" ;;
  "run --silent holdfast -- "*) shift 4; exec ${process.execPath} ${join(root, "cli/main.ts")} "$@" ;;
  "run --silent resolve -- -k "*" --repo "*) kubectl kustomize "$6" ;;
  *) echo "npm $* is not part of a walk" >&2; exit 1 ;;
esac`;
