import { resolve } from "node:path";
import { fromHere } from "../../shared/command/from-here.ts";
import { parseFlags, wholeNumber } from "../../shared/command/parse-flags.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { listedTours, tourNames } from "../tour/names.ts";
import { readSaltFlags, type SaltFlags, saltFlags } from "./salt/read-flags.ts";

/** What `npm start` was asked for. */
export interface StartOptions {
  /** Port of the API server on loopback; 0 takes a free one. */
  readonly port: number;
  /** Works on the cluster of this kubeconfig instead of one of its own. */
  readonly kubeconfig?: string;
  readonly yes: boolean;
  readonly tour: "then stay" | "only" | "none";
  /** What is toured, in this order. */
  readonly tours: readonly string[];
  /** Milliseconds without a request after which a function goes. */
  readonly window: number;
  /** No source of changes runs; the sweep, which comes more often then, does everything. */
  readonly loseAllEvents: boolean;
  /** Prints what functions do as traces. */
  readonly trace?: true;
  /** A Salt that is there, instead of a stand-in. */
  readonly salt?: SaltFlags;
  readonly help: boolean;
}

export const help = `Holdfast on this machine: a Kubernetes API, the repository's own Knative YAML,
and the functions as processes that come with an event and go when nothing
happens. For trying, developing and testing only.

  npm start [-- options]

  --tour NAME        ${wrap(`play one tour: ${listedTours("or")};`, 21, 80)}
                     without it all of them, but none on a cluster of
                     --kubeconfig
  --tour-only        play and exit: 0 when every step came true
  --no-tour          play none
  --lose-all-events  start no source of changes, and play no tour: the sweep has
                     to do everything, and comes every other second for that
  --trace            print the trace of each event that leads to a run
  --port N           port of the API server on 127.0.0.1 (default: a free one)
  --idle SECONDS     how long a function without work stays (default 3)
  --kubeconfig FILE  no cluster of our own: source, broker and functions work on
                     the cluster of this file, which needs no Knative; says
                     what it will touch, asks, and takes it away at the end
  --salt URL         make Volumes with the Salt behind this salt-api, which
                     needs knative/salt, on one of its minions, in place of a
                     stand-in that touches no disk
  --salt-user NAME, --salt-eauth NAME
                     the account (default SALT_USERNAME or holdfast), and how
                     Salt checks it (default SALT_EAUTH or holdfast)
  --salt-password-file FILE
                     its password (default SALT_PASSWORD of the environment)
  --salt-ca FILE     the authority that certified salt-api, in PEM
  --minion ID        the minion to work on, where Salt has more than one
  --yes              do not ask
  --no-color         no colours; so does NO_COLOR=1, and a pipe
  --help             this text
`;

/** What `npm run dev` was asked for. */
export interface DevOptions extends StartOptions {
  /** `<system>/<rule>`. */
  readonly function: string;
}

export const devHelp = `Bundles one function again whenever a file of it is saved, and rolls it: a new
revision starts, takes over, and the old one goes. On a cluster of its own, as
npm start makes one, or on yours.

  npm run dev -- SYSTEM/RULE [options]

  --port N, --idle SECONDS, --kubeconfig FILE, --yes, --no-color, --help
                     as for npm start
`;

const common = {
  port: { type: "string" },
  idle: { type: "string" },
  kubeconfig: { type: "string" },
  yes: { type: "boolean" },
  "no-color": { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** @throws UserError naming the flag at fault. */
export function readOptions(args: readonly string[]): StartOptions {
  const { values } = parseFlags("npm start", {
    args: [...args],
    options: {
      ...common,
      tour: { type: "string" },
      "tour-only": { type: "boolean" },
      "no-tour": { type: "boolean" },
      "lose-all-events": { type: "boolean" },
      trace: { type: "boolean" },
      ...saltFlags,
    },
  });
  const { tour: chosen, "tour-only": tourOnly = false, "lose-all-events": loseAllEvents = false } = values;
  const noTour = values["no-tour"] ?? loseAllEvents;
  if (loseAllEvents && (chosen !== undefined || tourOnly))
    throw new UserError("The tours show what events bring about; leave them out of --lose-all-events.");
  if (noTour && tourOnly) throw new UserError("--tour-only and --no-tour exclude each other.");
  if (noTour && chosen !== undefined) throw new UserError("--tour and --no-tour exclude each other.");
  if (values.salt !== undefined && values.kubeconfig)
    throw new UserError("--salt is for a cluster of our own; on yours, install the component volume.");
  const salt = readSaltFlags(values, process.env);
  const tours = chosen === undefined ? tourNames : tourNames.filter((name) => name === chosen);
  if (tours.length === 0) throw new UserError(`There is no tour ${chosen}; there are ${listedTours("and")}.`);
  // A cluster that is not our own is toured only where that is asked for.
  const stays = noTour || (values.kubeconfig && chosen === undefined) ? "none" : "then stay";
  const traced = values.trace ? { trace: true as const } : {};
  const external = salt ? { salt } : {};
  return { ...readCommon(values), ...external, ...traced, tour: tourOnly ? "only" : stays, tours, loseAllEvents };
}

/** @throws UserError naming the flag or the function at fault; `functions` are all there are. */
export function readDevOptions(args: readonly string[], functions: readonly string[]): DevOptions {
  const { values, positionals } = parseFlags("npm run dev", {
    args: [...args],
    options: common,
    allowPositionals: true,
  });
  const [name = "", ...more] = positionals;
  const options = { ...readCommon(values), tour: "none" as const, tours: [], loseAllEvents: false, function: name };
  const choice = `There are ${functions.join(", ")}.`;
  if (options.help) return options;
  if (!name) throw new UserError(`Which function? ${choice}`);
  if (more.length > 0) throw new UserError(`One function at a time, not ${positionals.join(" and ")}.`);
  if (!functions.includes(name)) throw new UserError(`There is no function ${name}. ${choice}`);
  return options;
}

type Values = { [flag in keyof typeof common]?: (typeof common)[flag]["type"] extends "string" ? string : boolean };

function readCommon(values: Values): Omit<StartOptions, "tour" | "tours" | "loseAllEvents" | "salt"> {
  const { port, idle, kubeconfig, yes = false, help = false } = values;
  if (values["no-color"]) process.env.NO_COLOR = "1";
  if (kubeconfig === "") throw new UserError("--kubeconfig needs a file.");
  if (kubeconfig && port)
    throw new UserError("--port is for an API server of our own; with --kubeconfig there is none.");
  if (yes && !kubeconfig) throw new UserError("--yes answers a question that only --kubeconfig asks.");
  return {
    port: port === undefined ? 0 : wholeNumber("--port", port, 1, 65_535),
    ...(kubeconfig ? { kubeconfig: resolve(fromHere(kubeconfig)) } : {}),
    yes,
    window: 1000 * (idle === undefined ? 3 : wholeNumber("--idle", idle, 1, 3600)),
    help,
  };
}
