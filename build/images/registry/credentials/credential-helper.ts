import { spawn } from "node:child_process";
import { UserError } from "../../../../shared/command/user-error.ts";
import type { Credentials } from "./credentials.ts";

/** The helpers' way to say that this name stands for no user, but that the secret is an identity token. */
const tokenUser = "<token>";

/**
 * Asks `docker-credential-<helper>` for the login to a registry. Returns nothing when it knows none.
 *
 * @throws UserError when it cannot be run, or fails
 */
export async function askHelper(helper: string, registry: string): Promise<Credentials | undefined> {
  const program = `docker-credential-${helper}`;
  const { code, output, complaints } = await run(program, registry);
  if (code !== 0) {
    // Helpers say it on either stream; there is no status of its own for it.
    if (/credentials not found/i.test(output + complaints)) return undefined;
    throw new UserError(`${program} has not given the login to ${registry}: ${(complaints || output).trim() || code}.`);
  }
  try {
    const { Username, Secret } = JSON.parse(output) as { Username: string; Secret: string };
    const origin = program;
    if (!Secret) return undefined;
    return Username === tokenUser ? { identityToken: Secret, origin } : { user: Username, password: Secret, origin };
  } catch {
    throw new UserError(`${program} has answered with something else than a login to ${registry}.`);
  }
}

function run(program: string, input: string): Promise<{ code: number | null; output: string; complaints: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ["get"], { stdio: "pipe" });
    let output = "";
    let complaints = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
    child.on("error", (error) => reject(new UserError(`${program} cannot be run: ${error.message}.`)));
    child.on("close", (code) => resolve({ code, output, complaints }));
    // One that goes without reading says so by its status.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
