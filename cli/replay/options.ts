import { Complaint } from "../../shared/command/complaint.ts";
import { fromHere } from "../../shared/command/from-here.ts";
import { parseFlags } from "../../shared/command/parse-flags.ts";

/** What `npm run replay` was asked for. */
export interface ReplayOptions {
  /** A file, or the name of an event in the ring buffer of dead-lettered events. */
  readonly saved: string;
  /** `<system>/<rule>`, where it is to be another one than the event was meant for. */
  readonly rule?: string;
  /** Carry the decisions out. */
  readonly act: boolean;
  /** A file; what kubectl would take when absent. */
  readonly kubeconfig?: string;
  /** Where Holdfast is installed. */
  readonly namespace: string;
}

export const help = `Gives a dead-lettered event to its rule again and prints what the rule decides.
Nothing is written without --act.

  npm run replay -- FILE|NAME [options]

  FILE               an event saved as JSON
  NAME               an event in the ConfigMap holdfast-dead-letters; kubectl
                     describe shows their names
  --rule SYSTEM/RULE another rule than the one that the event was meant for
  --act              carry the decisions out
  --kubeconfig FILE  the cluster (default: KUBECONFIG, or ~/.kube/config)
  --namespace NS     where Holdfast is installed (default: holdfast)
  --help             this text
`;

/** Returns nothing when help is asked for. @throws Complaint naming the flag at fault. */
export function readReplayOptions(args: readonly string[]): ReplayOptions | undefined {
  const { values, positionals } = parseFlags("npm run replay", {
    args: [...args],
    allowPositionals: true,
    options: {
      rule: { type: "string" },
      act: { type: "boolean", default: false },
      kubeconfig: { type: "string" },
      namespace: { type: "string", default: "holdfast" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return undefined;
  const [saved, ...more] = positionals;
  if (!saved || more.length > 0)
    throw new Complaint("Name one event: a file, or a key of ConfigMap holdfast-dead-letters.");
  const { rule, act, kubeconfig, namespace } = values;
  return {
    saved,
    act,
    namespace,
    ...(rule ? { rule } : {}),
    ...(kubeconfig ? { kubeconfig: fromHere(kubeconfig) } : {}),
  };
}
