import { Argument, Command } from "commander";
import { describeKept, type KeptVolume } from "../../functions/undelete/lib/kept-volume.ts";
import { systemClock } from "../../shared/clock.ts";
import { ask } from "../../shared/command/ask.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { type Terminal, terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { type ClusterOptions, withCluster } from "../cluster/cluster-options.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { exitCode } from "../exit-code.ts";
import { type Format, formatted, withFormat } from "../output/format.ts";
import type { Subcommand } from "../subcommand.ts";
import { keepFor, offer, type Plan, release, succeed } from "./actions.ts";
import { commandOf, isDone, make } from "./change.ts";
import { findKept } from "./volumes.ts";

interface RestoreOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly output?: Format | "name";
  readonly for?: string;
  readonly volume?: string;
  readonly former?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const actions = `
Actions:
  list            the volumes that are kept, of all namespaces or --namespace
  claim NAME      offer the volume of claim NAME to the next claim of the name
  namespace NAME  offer the volumes of the former namespace NAME to this one
  keep VOLUME     keep a volume longer: --for 24h, --for 7d, --for ever
  release VOLUME  have a volume reclaimed now; data may be deleted, so it asks`;

/** Options that mean something for one action alone. */
const onlyFor = { for: "keep", volume: "claim", former: "namespace" } as const;

/** `holdfast restore` */
export const restore: Subcommand = {
  declare: () =>
    withFormat(
      withCluster(
        new Command("restore")
          .summary("list kept volumes, offer them to claims, keep them longer, or have them reclaimed")
          .description(
            "Lists volumes that undelete keeps after their claims were deleted, and sets its annotations for you. " +
              "It writes nothing on an object that has changed since it was read. It prints the kubectl command that " +
              "does the same.",
          )
          .addArgument(
            new Argument("<ACTION>", "what to do").choices(["list", "claim", "namespace", "keep", "release"]),
          )
          .argument("[NAME]", "of a claim, a namespace or a volume")
          .option("-n, --namespace <NS>", "where the claim is, or was (default: that of the context; list: all)")
          .option("--for <TIME>", "how long to keep a volume from now on")
          .option("--volume <NAME>", "the volume, if several of one claim are kept")
          .option("--former <UID>", "the former namespace, if there were several")
          .option("--dry-run", "say what would be done, and do nothing")
          .option("--yes", "do not ask"),
      ),
      ["json", "yaml", "name"],
    ).addHelpText("after", actions),
  async run([action = "", name], options: RestoreOptions) {
    const { output } = options;
    if (action === "list" && name)
      throw new UserError(`restore list takes no name. For one namespace: restore list -n ${name}`);
    for (const [option, of] of Object.entries(onlyFor))
      if (options[option as keyof typeof onlyFor] !== undefined && action !== of)
        throw new UserError(`--${option} works only with restore ${of}.`);
    const { client, namespace } = openCluster(options);
    const out = terminal(process.stdout);
    if (action === "list") return list(await findKept(client, options.namespace), output, out);
    if (!name) throw new UserError(`restore ${action} needs a name. See: holdfast restore --help`);
    return carryOut(client, await planOf(client, action, name, options, namespace), options, out);
  },
};

function planOf(client: Client, action: string, name: string, options: RestoreOptions, own: string): Promise<Plan> {
  switch (action) {
    case "claim":
      return offer(
        client,
        options.namespace ?? own,
        name.replace(/^(pvc|persistentvolumeclaims?)\//i, ""),
        options.volume,
      );
    case "namespace":
      return succeed(client, name, options.former);
    case "keep":
      return keepFor(client, name, options.for, systemClock.now());
    default:
      return release(client, name, systemClock.now());
  }
}

function list(kept: readonly KeptVolume[], output: RestoreOptions["output"], out: Terminal): number {
  if (output === "name") for (const { volume } of kept) out.print(`persistentvolume/${volume.metadata.name}`);
  else if (output) process.stdout.write(formatted({ kept: kept.map(asAnswer) }, output));
  else if (kept.length === 0) out.print("No volume is kept.");
  else for (const one of kept) out.print(wrap(describeKept(one, systemClock.now()), 2, out.width));
  return exitCode.good;
}

const asAnswer = ({ volume, note, due }: KeptVolume) => ({
  volume: volume.metadata.name,
  claim: note.claim,
  step: note.step,
  policy: note.policy,
  ...(Number.isFinite(due) ? { due: new Date(due).toISOString() } : {}),
});

async function carryOut(client: Client, plan: Plan, options: RestoreOptions, out: Terminal): Promise<number> {
  const { changes, does, next, deletes } = plan;
  const { dryRun = false, yes, output } = options;
  const say = (sentence: string) => (output ? undefined : out.print(wrap(sentence, 0, out.width)));
  say(does);
  // Not wrapped: it is there to be copied.
  if (!output) for (const change of changes) out.print(`  ${commandOf(change)}`);
  const writes = !dryRun && !changes.every(isDone);
  if (writes) {
    if (deletes && !yes && (output || !process.stdin.isTTY))
      throw new UserError("Data may be deleted, and there is no one to ask: give --yes to go on.");
    if (deletes && !yes && !(await ask("Go on?"))) throw new UserError("Nothing was written.");
    for (const change of changes) await make(client, change);
    say("Done. The functions act when they get the events of this change.");
  } else say(changes.every(isDone) ? "It is so already: nothing was written." : "Nothing was written.");
  if (next) say(next);
  if (output === "name") for (const { object } of changes) out.print(`persistentvolume/${object.metadata.name}`);
  else if (output) {
    const volumes = changes.map(({ object, annotations }) => ({ volume: object.metadata.name, annotations }));
    process.stdout.write(formatted({ does, volumes, written: writes, ...(next ? { next } : {}) }, output));
  }
  return exitCode.good;
}
