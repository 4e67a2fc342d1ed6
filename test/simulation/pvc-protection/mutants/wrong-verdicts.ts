import { type Facts, release } from "../../../../functions/pvc-protection/release/rule.ts";
import type { Decision } from "../../../../shared/decision.ts";
import type { Client } from "../../../../shared/kubernetes/client.ts";
import { Pod } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { changed, faulty, type Mutant, seeing } from "../../mutants/mutant.ts";

const inTree = "kubernetes.io/pvc-protection";
const progress = "holdfast.dev/pvc-protection.release";

const without = (claim: KubernetesObject, finalizer: string): KubernetesObject => ({
  ...claim,
  metadata: { ...claim.metadata, finalizers: claim.metadata.finalizers?.filter((name) => name !== finalizer) ?? [] },
});

/** By name; the function may list pods, but not get one. */
async function podsOf(client: Client, namespace = ""): Promise<Map<string, KubernetesObject>> {
  const pods = await Array.fromAsync(client.list(Pod, { namespace }));
  return new Map(pods.map((pod) => [pod.metadata.name, pod]));
}

/** Asks only for the pods that a claim's annotation names, where the mutant trusts it: it was written for `uid`. */
const lookAtNamedPods = (trusts: (claim: KubernetesObject, uid: unknown) => boolean): typeof release.look =>
  seeing(release, async (facts, _, view) => {
    const users = new Map(facts.users);
    for (const claim of facts.claims) {
      const said = claim.metadata.annotations?.[progress];
      const { uid, pods: named } = said?.startsWith("{") ? JSON.parse(said) : {};
      if (!named || !trusts(claim, uid)) continue;
      const pods = await podsOf(view.client, claim.metadata.namespace);
      if (!named.some(({ pod }: { pod: string }) => pods.has(pod))) users.delete(claim.metadata.name);
    }
    return { ...facts, users };
  });

/** A mutant that trusts progress has it there until the claim is gone. */
const keepingProgress = changed(release, (decision) =>
  decision.do === "write" ? { ...decision, progress: "unchanged" } : decision,
);

export const wrongVerdicts: readonly Mutant[] = [
  {
    name: "ours-before-in-tree",
    doc: "Lets a claim go without waiting for Kubernetes' finalizer, which is none of its business.",
    scenarios: ["deleted-while-used", "late-binding"],
    within: 60,
    ...faulty(release, {
      decide: ({ claims, users }, now, settings): Decision[] =>
        claims.flatMap((claim) => {
          if (users.has(claim.metadata.name)) return release.decide({ claims: [claim], users }, now, settings);
          const index = claim.metadata.finalizers?.indexOf(settings.finalizer) ?? -1;
          const [decision] = release.decide({ claims: [without(claim, inTree)], users }, now, settings);
          if (decision?.do !== "write" || index < 0) return [];
          const path = `/metadata/finalizers/${index}`;
          const writes = decision.writes.map((write) =>
            write.verb !== "patch"
              ? write
              : {
                  ...write,
                  patch: (write.patch as { path: string }[]).map((operation) =>
                    operation.path.startsWith("/metadata/finalizers/") ? { ...operation, path } : operation,
                  ),
                },
          );
          return [{ ...decision, writes }];
        }),
    }),
  },
  {
    name: "living-claims-released",
    doc: "Judges every claim with the finalizer, because only claims that no pod uses lose it.",
    scenarios: ["many-claims-alone", "in-tree-off"],
    within: 5,
    ...faulty(release, {
      look: async (subject, view): Promise<Facts> => {
        const { claims, users } = await release.look(subject, {
          ...view,
          client: {
            ...view.client,
            list: async function* <T extends KubernetesObject>(
              ...[kind, options]: Parameters<typeof view.client.list>
            ) {
              for await (const object of view.client.list<T>(kind, options))
                yield kind === Pod
                  ? object
                  : { ...object, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", ...object.metadata } };
            },
          },
        });
        return { claims, users };
      },
    }),
  },
  {
    name: "progress-trusted",
    doc: "Asks only for the pods that the claim's annotation names, which saves the list.",
    scenarios: ["used-alone", "replaced-alone"],
    within: 15,
    ...faulty(release, { decide: keepingProgress, look: lookAtNamedPods(() => true) }),
  },
  {
    name: "progress-of-another-trusted",
    doc:
      "Where a claim came with an annotation that names its pods, as a restored one does, " +
      "asks for those pods alone.",
    scenarios: ["restored-alone"],
    within: 15,
    ...faulty(release, {
      decide: keepingProgress,
      look: lookAtNamedPods((claim, uid) => uid !== claim.metadata.uid),
    }),
  },
  {
    name: "stopping-is-stopped",
    doc: "In document mode takes a pod that is being deleted for one that has ended.",
    scenarios: ["finished-jobs"],
    within: 20,
    ...faulty(release, {
      look: seeing(release, async (facts, subject, view) => {
        if (view.settings.mode !== "document") return facts;
        const users = new Map(facts.users);
        const pods = await podsOf(view.client, subject.namespace);
        for (const [claim, using] of facts.users)
          if (using.every(({ pod }) => pods.get(pod)?.metadata.deletionTimestamp)) users.delete(claim);
        return { ...facts, users };
      }),
    }),
  },
  {
    name: "ephemeral-volumes-overlooked",
    doc: "Looks only at the claims that a pod names itself.",
    scenarios: ["finished-jobs"],
    within: 5,
    ...faulty(release, {
      look: seeing(release, (facts) => {
        const users = new Map(facts.users);
        for (const { metadata } of facts.claims) if (metadata.ownerReferences?.length) users.delete(metadata.name);
        return { ...facts, users };
      }),
    }),
  },
  {
    name: "writes-without-change",
    doc: "Writes down when it looked last, every time.",
    scenarios: ["deleted-while-used"],
    within: 100,
    ...faulty(release, {
      decide: changed(release, (decision, _, now) =>
        decision.do === "wait" && decision.step
          ? { ...decision, step: { ...decision.step, details: { ...decision.step.details, looked: now } } }
          : decision,
      ),
    }),
  },
  {
    name: "event-left-behind",
    doc: "Does not clear the Events that it recorded on a claim, because they expire.",
    scenarios: ["deleted-while-used", "used-alone"],
    within: 5,
    ...faulty(release, {
      decide: changed(release, (decision) =>
        decision.do === "write" ? { ...decision, about: withoutProgress(decision.about) } : decision,
      ),
    }),
  },
];

function withoutProgress({ metadata, ...object }: KubernetesObject): KubernetesObject {
  const { annotations: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
