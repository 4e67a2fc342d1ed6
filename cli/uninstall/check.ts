import type { Client } from "../../shared/kubernetes/client.ts";
import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { heldObjects, holdsOf, removable } from "../../shared/uninstall/held-objects.ts";
import { someOf } from "../../shared/uninstall/some-of.ts";
import { elsewhere } from "../cluster/cluster-options.ts";
import { readOrNote } from "../cluster/read-or-note.ts";
import { type Finding, type Findings, printFindings } from "../output/finding.ts";
import { withChosenFinalizers } from "./chosen-finalizers.ts";
import { claimsInUse } from "./claims-in-use.ts";
import { describePlan, describeRest, unfinished, untilOver } from "./describe.ts";
import { findInstalled } from "./installed.ts";
import { lackingToUninstall } from "./rights.ts";
import { strangersIn } from "./strangers.ts";
import { describeDefinitions, type UninstallScope } from "./uninstall.ts";

type Scope = Pick<UninstallScope, "systems" | "rules" | "definitions" | "finalizers">;

/** What is to be known before an uninstall; whole sentences. What could not be looked at is absent. */
export interface Check extends Findings {
  /** What goes, in this order. */
  readonly goes?: readonly string[];
  readonly stays?: readonly string[];
}

/**
 * What holds objects before an uninstall, in which order things go and what stays, and what is in the way: each with
 * what to do about it.
 *
 * @throws ApiError
 */
export async function checkBefore(client: Client, scope: Scope): Promise<Check> {
  const gaps: string[] = [];
  const findings: Finding[] = [];
  const { systems } = scope;
  let goes: Check["goes"];
  let stays: Check["stays"];
  const installed = await readOrNote(gaps, "What is installed", () => findInstalled(client, systems));
  const chosen = await readOrNote(gaps, "Which finalizers the functions are set to", () =>
    withChosenFinalizers(client, scope.rules, installed ?? { functions: [], rest: [] }, scope.finalizers ?? []),
  );
  const rules = chosen ?? scope.rules;
  const held = await readOrNote(gaps, "What carries a finalizer of Holdfast", () =>
    heldObjects(client, holdsOf(rules)),
  );
  const staying = new Map<string, readonly string[]>();
  for (const { object } of installed?.namespaces ?? []) {
    const { name } = object.metadata;
    const strangers = await readOrNote(gaps, `What else is in namespace ${name}`, () => strangersIn(client, name));
    if (strangers?.length) staying.set(name, strangers);
  }
  if (installed && held) {
    const namespaces = installed.namespaces.filter(({ object }) => !staying.has(object.metadata.name));
    const going = { ...installed, namespaces };
    goes = await readOrNote(gaps, "What goes", () => describePlan(client, going, rules, held));
    stays = await readOrNote(gaps, "What stays", async () => [
      ...(await describeRest(client, rules, held)),
      ...(await describeDefinitions(client, scope.definitions)),
      ...[...staying].map(([name, more]) => `Namespace ${name}, because there is more in it: ${more.join(", ")}.`),
    ]);
  }
  if (installed && held && goes?.length) {
    const lacking = await readOrNote(gaps, "What you may do", () => lackingToUninstall(client, installed, rules, held));
    if (lacking) findings.push(lacking);
  }
  const waiting = unfinished(held ?? []);
  const home = installed?.functions[0]?.object.metadata.namespace;
  if (waiting.length > 0)
    findings.push({
      what:
        "These are being deleted, evacuated or evicted, and only the functions can complete that: " +
        `${someOf(waiting.map(({ object }) => object))}.`,
      todo: `${untilOver} What each waits for: holdfast explain KIND/NAME -n NAMESPACE${elsewhere(home)}`,
    });
  const used = await readOrNote(gaps, "Which claims pods use", () => claimsInUse(client, removable(held ?? [])));
  if (used?.length)
    findings.push({
      what:
        "Pods use claims that are being deleted and that only our finalizer keeps: " +
        `${someOf(used.map(({ object }) => object))}.`,
      todo: "Delete the pods first, or they lose their data while they run.",
    });
  return { ...(goes ? { goes } : {}), ...(stays ? { stays } : {}), findings, gaps };
}

/** Prints it for people. */
export function printCheck(check: Check, out: Terminal): void {
  const { goes, stays = [], findings, gaps } = check;
  const line = (text: string) => out.print(wrap(text, 2, out.width));
  if (goes?.length) line(out.paint("bold", "These go, in this order:"));
  else if (goes) line("Nothing of Holdfast is left to remove.");
  for (const [index, sentence] of (goes ?? []).entries()) line(`${index + 1}. ${sentence}`);
  if (stays.length > 0) line(out.paint("bold", "This stays:"));
  for (const sentence of stays) line(`- ${sentence}`);
  printFindings(check, out);
  if (findings.length + gaps.length === 0) out.print("Nothing is in the way.");
}
