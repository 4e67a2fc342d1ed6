import { parseArgs } from "node:util";
import { Complaint } from "./complaint.ts";

/** What `npm start` was asked for. */
export interface StartOptions {
  /** Port of the API server on loopback; 0 takes a free one. */
  readonly port: number;
  /** Works on the cluster of this kubeconfig instead of one of its own. */
  readonly kubeconfig?: string;
  readonly yes: boolean;
  readonly tour: "then stay" | "only" | "none";
  /** Milliseconds without a request after which a function goes. */
  readonly window: number;
  readonly help: boolean;
}

export const help = `Holdfast on this machine: a Kubernetes API, the repository's own Knative YAML, and
the functions as processes that come with an event and go when nothing happens.
For trying, developing and testing; production is Knative.

  npm start [-- options]

  --tour-only        play the tour and exit: 0 when every step came true;
                     without it, a cluster of --kubeconfig sees no tour
  --no-tour          skip the tour
  --port N           port of the API server on 127.0.0.1 (default: a free one)
  --idle SECONDS     how long a function without work stays (default 3)
  --kubeconfig FILE  no cluster of our own: source, broker and functions work on
                     the cluster of this kubeconfig, which needs no Knative; says
                     what it will touch, asks, and takes it away at the end
  --yes              do not ask
  --no-color         no colours; so does NO_COLOR=1, and a pipe
  --help             this text
`;

/** @throws Complaint naming the flag at fault. */
export function readOptions(args: readonly string[]): StartOptions {
  const { values } = parse(args);
  if (values["no-color"]) process.env.NO_COLOR = "1";
  const tourOnly = values["tour-only"] ?? false;
  if (tourOnly && values["no-tour"]) throw new Complaint("--tour-only and --no-tour exclude each other.");
  if (values.kubeconfig !== undefined && values.port !== undefined)
    throw new Complaint("--port is for an API server of our own; with --kubeconfig there is none.");
  if (values.kubeconfig === "") throw new Complaint("--kubeconfig needs a file.");
  if (values.yes && values.kubeconfig === undefined)
    throw new Complaint("--yes answers a question that only --kubeconfig asks.");
  return {
    port: values.port === undefined ? 0 : number("--port", values.port, 1, 65_535),
    ...(values.kubeconfig === undefined ? {} : { kubeconfig: values.kubeconfig }),
    yes: values.yes ?? false,
    // Somebody's cluster is not a stage unless it is asked to be.
    tour: tourOnly ? "only" : values["no-tour"] || values.kubeconfig ? "none" : "then stay",
    window: 1000 * (values.idle === undefined ? 3 : number("--idle", values.idle, 1, 3600)),
    help: values.help ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      options: {
        "tour-only": { type: "boolean" },
        "no-tour": { type: "boolean" },
        port: { type: "string" },
        idle: { type: "string" },
        kubeconfig: { type: "string" },
        yes: { type: "boolean" },
        "no-color": { type: "boolean" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    // Node's own sentences name the flag, but go on about positional arguments.
    const [sentence] = (error as Error).message.split(". ");
    throw new Complaint(`${sentence?.replace(/\.$/, "")}. See npm start -- --help.`);
  }
}

function number(flag: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Complaint(`${flag} ${text}: expected a whole number from ${least} to ${most}.`);
}
