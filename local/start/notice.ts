import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule } from "../../shared/rule.ts";
import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { holdsOf } from "../../shared/uninstall/held-objects.ts";
import { tourNamespace } from "../tour/namespace.ts";
import type { KnownCluster } from "./cluster-entry.ts";
import type { StartOptions } from "./options.ts";

/** What a run touches on the cluster of a kubeconfig. */
interface Touched {
  readonly cluster: KnownCluster;
  /** What it creates, and deletes at the end. */
  readonly objects: readonly KubernetesObject[];
  readonly rules: readonly Rule[];
}

/** Says what a run on the cluster of a kubeconfig touches, before it touches anything. */
export function sayWhatIsTouched(
  { paint, print, width }: Terminal,
  { cluster, objects, rules }: Touched,
  { tour, yes }: StartOptions,
): void {
  const say = (text: string) => print(`  ${wrap(text, 2, width)}`);
  const item = (text: string) => print(`  - ${wrap(text, 4, width)}`);
  print(paint("bold", `This works on the cluster ${cluster.server}`));
  say(
    `(context ${cluster.context}, user ${cluster.user}). Knative is not needed, and no CustomResourceDefinition is ` +
      "created: sources, brokers and functions run here.",
  );
  print("");
  say("It creates, and deletes at the end:");
  for (const [kind, all] of Map.groupBy(objects, (one) => one.kind))
    item(`${kind} ${all.map(({ metadata }) => metadata.name).join(", ")}`);
  item("tokens of these ServiceAccounts, good for a day at most, in files that only you can read");
  item("a pod in namespace holdfast for each process of a function, as Knative would create it; it is never scheduled");
  if (tour !== "none") item(`for the tour: Namespace ${tourNamespace} with claims, pods and a StatefulSet of its own`);
  print("");
  say("While it runs, the functions do on this cluster what they are for:");
  item(
    "protect puts the finalizer holdfast.dev/pvc-protection on every claim of every namespace, " +
      "when it changes or when the sweep comes to it, which it does every five minutes;",
  );
  item("release annotates claims that are being deleted, and removes the finalizer once no pod uses them;");
  item(
    "on StatefulSets with the annotation holdfast.dev/pvc-delete-policy, of their own or of their namespace, " +
      "the functions of PVC retention do what it says, by which Kubernetes may delete claims;",
  );
  item(
    "where a claim, its namespace or its class carries the annotation holdfast.dev/keep-volume-for, " +
      "the functions of undelete set the reclaim policy of its volume to Retain, and offer the volume when it is lost;",
  );
  item(
    "the functions write Events on claims, volumes, pods and StatefulSets; the sweep and the dead-letter function " +
      "keep what they know in namespace holdfast.",
  );
  const removed = holdsOf(rules).filter(({ standsFor }) => !standsFor);
  const finalizers = removed.map(({ kind, finalizer }) => `${finalizer} from ${kind.plural}`);
  say(`At the end it ${yes ? "removes" : "asks whether to remove"} finalizers again: ${finalizers.join(", ")}.`);
  for (const { what, effect, undo } of rules.flatMap(({ leavesBehind = [] }) => leavesBehind))
    say(undo ? `It puts back ${what}.` : `It then lists ${what}, and leaves them as they are. ${effect}`);
  print("");
}
