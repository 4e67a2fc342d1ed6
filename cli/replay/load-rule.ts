import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Complaint } from "../../shared/command/complaint.ts";
import { loadDeclaration } from "../../shared/load-declaration.ts";
import { type Rule, slug } from "../../shared/rule.ts";

const functions = fileURLToPath(new URL("../../functions", import.meta.url));

/**
 * Loads a rule by its name (`pvc-protection/release`), or by the host of its function
 * (`pvc-protection-release.holdfast`).
 *
 * @throws Complaint that names the rules there are.
 */
export async function loadRule(name: string): Promise<Rule> {
  const names = globSync("*/*/rule.ts", { cwd: functions }).map((file) => file.split(/[\\/]/).slice(0, 2).join("/"));
  const [host] = name.split(".");
  const found = names.find((known) => known === name || slug(known) === host);
  if (!found)
    throw new Complaint(
      `There is no rule ${name || "named in the event"}; use --rule with one of: ${names.sort().join(", ")}.`,
    );
  return (await loadDeclaration<Rule>(join(functions, found, "rule.ts"), found)) as Rule;
}
