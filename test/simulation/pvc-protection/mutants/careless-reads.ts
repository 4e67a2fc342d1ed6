import { type Facts, release } from "../../../../functions/pvc-protection/release/rule.ts";
import type { Client, ListOptions } from "../../../../shared/kubernetes/client.ts";
import { type Kind, Pod } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { listed, onePage, withClient } from "../../mutants/clients.ts";
import { faulty, type Mutant, starting } from "../../mutants/mutant.ts";

/** Replaces how pods are listed. */
function listingPods(list: (client: Client, options: ListOptions) => AsyncIterable<KubernetesObject>) {
  const start = withClient(starting(release), (client) => ({
    list: <T extends KubernetesObject>(kind: Kind, options: ListOptions = {}) =>
      (kind === Pod ? list(client, options) : client.list(kind, options)) as AsyncIterable<T>,
  }));
  return { rule: release.name, start };
}

async function* untilItFails(pods: AsyncIterable<KubernetesObject>): AsyncGenerator<KubernetesObject> {
  try {
    yield* pods;
  } catch {
    // What cannot be listed is not there.
  }
}

export const carelessReads: readonly Mutant[] = [
  {
    name: "verdict-from-a-stale-list",
    doc: "Lists pods with resourceVersion=0, to spare the API server.",
    scenarios: ["late-binding-alone", "late-binding"],
    within: 10,
    ...listingPods((client, { namespace, fieldSelector = "" }) =>
      listed(onePage(client, Pod, namespace, { resourceVersion: "0", fieldSelector })),
    ),
  },
  {
    name: "first-page-for-the-whole",
    doc: "Reads one page of pods and does not ask whether there are more.",
    scenarios: ["many-claims-alone"],
    within: 40,
    ...listingPods((client, { namespace, fieldSelector = "" }) =>
      listed(onePage(client, Pod, namespace, { limit: "250", fieldSelector })),
    ),
  },
  {
    name: "unknown-for-absent",
    doc: "Takes a list of pods that fails for one without pods.",
    scenarios: ["used-alone"],
    by: "points",
    within: 100,
    ...listingPods((client, options) => untilItFails(client.list(Pod, options))),
  },
  {
    name: "pods-before-claims",
    doc: "Lists pods first and claims afterwards, because the order seems not to matter.",
    scenarios: ["late-binding-stripped"],
    by: "fault-free runs",
    within: 150,
    ...faulty(release, {
      look: async (subject, view): Promise<Facts> => {
        const { namespace = "" } = subject;
        const pods = await Array.fromAsync(view.client.list(Pod, { namespace, fieldSelector: "spec.nodeName!=" }));
        const list = <T extends KubernetesObject>(kind: Kind, options?: ListOptions) =>
          (kind === Pod ? listed(Promise.resolve(pods)) : view.client.list(kind, options)) as AsyncIterable<T>;
        return release.look(subject, { ...view, client: { ...view.client, list } });
      },
    }),
  },
  {
    name: "asks-again-and-again",
    doc: "Lists the pods a hundred times in a row, because one of them may be gone by the next time.",
    scenarios: ["used-alone", "deleted-while-used"],
    by: "fault-free runs",
    within: 2,
    ...listingPods(async function* (client, options) {
      for (let time = 1; time < 100; time++) await Array.fromAsync(client.list(Pod, options));
      yield* client.list(Pod, options);
    }),
  },
  {
    name: "pods-without-a-node-counted",
    doc: "Lists all pods, and says of those that wait for a node that they hold the claim.",
    scenarios: ["in-tree-off"],
    within: 20,
    ...listingPods(async function* (client, { namespace = "" }) {
      for await (const pod of client.list(Pod, { namespace }))
        yield { ...pod, spec: { nodeName: "soon", ...(pod.spec as object) } } as KubernetesObject;
    }),
  },
  {
    name: "only-running-pods",
    doc: "Counts pods only while they are running, because a pending one holds nothing yet.",
    scenarios: ["late-binding-alone", "used-alone"],
    within: 20,
    ...listingPods((client, options) =>
      filtered(client.list(Pod, options), (pod) => (pod.status as { phase?: string } | undefined)?.phase === "Running"),
    ),
  },
];

async function* filtered(
  pods: AsyncIterable<KubernetesObject>,
  keep: (pod: KubernetesObject) => boolean,
): AsyncGenerator<KubernetesObject> {
  for await (const pod of pods) if (keep(pod)) yield pod;
}
