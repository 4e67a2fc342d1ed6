import { parseArgs } from "node:util";
import { systemClock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import { findLetter } from "./find-letter.ts";
import { loadRule } from "./load-rule.ts";
import { replay } from "./replay.ts";

const usage = `Usage: npm run replay -- FILE|NAME [--rule SYSTEM/RULE] [--act] [--kubeconfig FILE] [--namespace NS]

Gives a dead letter to its rule again and prints what the rule decides. Nothing is written without --act.
  FILE              a letter saved as JSON
  NAME              a letter in the ConfigMap holdfast-dead-letters (kubectl describe shows their names)
  --rule            another rule than the one that the letter was meant for
  --act             carry the decisions out
  --kubeconfig      the cluster; KUBECONFIG or ~/.kube/config when absent
  --namespace       where Holdfast is installed; holdfast when absent`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rule: { type: "string" },
      act: { type: "boolean", default: false },
      kubeconfig: { type: "string" },
      namespace: { type: "string", default: "holdfast" },
      help: { type: "boolean", default: false },
    },
  });
  const [source, ...more] = positionals;
  if (values.help) return console.log(usage);
  if (!source || more.length > 0) throw new Error(`Name one letter.\n\n${usage}`);
  const client = createClient(kubeconfigTransport(values.kubeconfig));
  const letter = await findLetter(source, client, values.namespace);
  const rule = await loadRule(values.rule ?? letter.destination);
  const lines = replay(rule, letter, { client, clock: systemClock, act: values.act, namespace: values.namespace });
  for await (const line of lines) console.log(line);
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
