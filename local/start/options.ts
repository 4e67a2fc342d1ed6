import { resolve } from "node:path";
import { Complaint } from "../../shared/command/complaint.ts";
import { fromHere } from "../../shared/command/from-here.ts";
import { parseFlags, wholeNumber } from "../../shared/command/parse-flags.ts";
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
  /** Somebody's Salt instead of a stand-in. */
  readonly salt?: SaltFlags;
  readonly help: boolean;
}

export const help = `Holdfast on this machine: a Kubernetes API, the repository's own Knative YAML,
and the functions as processes that come with an event and go when nothing
happens. For trying, developing and testing; production is Knative.

  npm start [-- options]

  --tour NAME        ${wrap(`play one tour: ${listedTours("or")};`, 21, 80)}
                     without it all of them, but none on a cluster of
                     --kubeconfig
  --tour-only        play and exit: 0 when every step came true
  --no-tour          play none
  --lose-all-events  start no source of changes, and play no tour: the sweep has
                     to do everything, and comes every other second for that
  --port N           port of the API server on 127.0.0.1 (default: a free one)
  --idle SECONDS     how long a function without work stays (default 3)
  --kubeconfig FILE  no cluster of our own: source, broker and functions work on
                     the cluster of this file, which needs no Knative; says
                     what it will touch, asks, and takes it away at the end
  --salt URL         make Volumes with the Salt behind this salt-api, on one of
                     its minions, which needs the states of knative/salt; a
                     stand-in that touches no disk is used otherwise
  --salt-user NAME, --salt-eauth NAME
                     the account (default SALT_USERNAME or holdfast), and how
                     Salt checks it (default SALT_EAUTH or sharedsecret)
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

export const devHelp = `Bundles one function anew whenever a file of it is saved, and rolls it: a new
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

/** @throws Complaint naming the flag at fault. */
export function readOptions(args: readonly string[]): StartOptions {
  const { values } = parseFlags("npm start", {
    args: [...args],
    options: {
      ...common,
      tour: { type: "string" },
      "tour-only": { type: "boolean" },
      "no-tour": { type: "boolean" },
      "lose-all-events": { type: "boolean" },
      ...saltFlags,
    },
  });
  const { tour: chosen, "tour-only": tourOnly = false, "lose-all-events": loseAllEvents = false } = values;
  const noTour = values["no-tour"] ?? loseAllEvents;
  if (loseAllEvents && (chosen !== undefined || tourOnly))
    throw new Complaint("The tours show what events bring about; leave them out of --lose-all-events.");
  if (noTour && tourOnly) throw new Complaint("--tour-only and --no-tour exclude each other.");
  if (noTour && chosen !== undefined) throw new Complaint("--tour and --no-tour exclude each other.");
  if (values.salt !== undefined && values.kubeconfig)
    throw new Complaint(
      "--salt is for a cluster of our own; on yours, install knative/volume, and name your Salt in its settings.",
    );
  const salt = readSaltFlags(values, process.env);
  const tours = chosen === undefined ? tourNames : tourNames.filter((name) => name === chosen);
  if (tours.length === 0) throw new Complaint(`There is no tour ${chosen}; there are ${listedTours("and")}.`);
  // Somebody's cluster is toured only where that is asked for.
  const stays = noTour || (values.kubeconfig && chosen === undefined) ? "none" : "then stay";
  return { ...readCommon(values), ...(salt ? { salt } : {}), tour: tourOnly ? "only" : stays, tours, loseAllEvents };
}

/** @throws Complaint naming the flag or the function at fault; `functions` are all there are. */
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
  if (!name) throw new Complaint(`Which function? ${choice}`);
  if (more.length > 0) throw new Complaint(`One function at a time, not ${positionals.join(" and ")}.`);
  if (!functions.includes(name)) throw new Complaint(`There is no function ${name}. ${choice}`);
  return options;
}

type Values = { [flag in keyof typeof common]?: (typeof common)[flag]["type"] extends "string" ? string : boolean };

function readCommon(values: Values): Omit<StartOptions, "tour" | "tours" | "loseAllEvents" | "salt"> {
  const { port, idle, kubeconfig, yes = false, help = false } = values;
  if (values["no-color"]) process.env.NO_COLOR = "1";
  if (kubeconfig === "") throw new Complaint("--kubeconfig needs a file.");
  if (kubeconfig && port)
    throw new Complaint("--port is for an API server of our own; with --kubeconfig there is none.");
  if (yes && !kubeconfig) throw new Complaint("--yes answers a question that only --kubeconfig asks.");
  return {
    port: port === undefined ? 0 : wholeNumber("--port", port, 1, 65_535),
    ...(kubeconfig ? { kubeconfig: resolve(fromHere(kubeconfig)) } : {}),
    yes,
    window: 1000 * (idle === undefined ? 3 : wholeNumber("--idle", idle, 1, 3600)),
    help,
  };
}
