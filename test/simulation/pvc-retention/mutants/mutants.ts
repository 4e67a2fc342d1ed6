import { setOwner } from "../../../../functions/pvc-retention/set-owner/rule.ts";
import { syncPolicy } from "../../../../functions/pvc-retention/sync-policy/rule.ts";
import type { Decision } from "../../../../shared/decision.ts";
import { annotate } from "../../../../shared/kubernetes/annotate.ts";
import type { Client } from "../../../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { nextProgress, progressKey, readProgress } from "../../../../shared/progress.ts";
import { withClient } from "../../mutants/clients.ts";
import { changed, faulty, type Mutant, starting, withWrites } from "../../mutants/mutant.ts";

type Facts = NonNullable<Awaited<ReturnType<typeof setOwner.look>>>;
type Named = Facts["claims"][number];

const own_ = setOwner.name;

/** Starts `set-owner` with another view of the claims of a set. */
const seeing = (see: (claim: Named, facts: Facts) => Named | undefined) =>
  faulty(setOwner, {
    look: async (subject, view) => {
      const facts = await setOwner.look(subject, view);
      return facts && { ...facts, claims: facts.claims.flatMap((claim) => see(claim, facts) ?? []) };
    },
  });

/** Starts `set-owner` with other decisions. */
const deciding = (change: (decisions: readonly Decision[], facts: Facts) => readonly Decision[]) =>
  faulty(setOwner, {
    decide: (facts, now, settings) => (facts ? change(setOwner.decide(facts, now, settings), facts) : []),
  });

/** The claim with the note that a pod of the set has used it. */
function usedBy({ metadata: { uid: set } }: KubernetesObject, { claim, pods }: Named): Named {
  const text = nextProgress(claim, own_, { name: "used", details: { set, labels: "match" } }, "So.", 0) ?? "";
  const annotations = { ...claim.metadata.annotations, [progressKey(own_)]: text };
  return { pods, claim: { ...claim, metadata: { ...claim.metadata, annotations } } };
}

const born = ({ metadata }: KubernetesObject) => Date.parse(metadata.creationTimestamp ?? "");

/** Functions of PVC retention with a fault each. */
export const mutants: readonly Mutant[] = [
  {
    name: "goes-by-age",
    doc: "Takes a claim for used that is younger than its set: who else would have made it.",
    scenarios: ["claims-made-beside"],
    within: 6,
    ...seeing((one, { set }) => (born(one.claim) >= born(set) ? usedBy(set, one) : one)),
  },
  {
    name: "goes-by-name",
    doc: "Takes a claim for the set's that has the name of one.",
    scenarios: ["claims-made-beside", "left-without-policy"],
    within: 6,
    ...seeing((one, { set }) => usedBy(set, one)),
  },
  {
    name: "any-note-counts",
    doc: "Does not ask which set the note on a claim names, because there is only one of the name.",
    scenarios: ["set-recreated"],
    within: 16,
    ...seeing((one, { set }) => (readProgress(one.claim, own_)?.set ? usedBy(set, one) : one)),
  },
  {
    name: "ignores-other-pods",
    doc: "Looks at the pods of the set alone, because no other pod mounts its claims.",
    scenarios: ["rescued"],
    within: 8,
    ...seeing(({ claim, pods }, { set }) => ({
      claim,
      pods: pods.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid)),
    })),
  },
  {
    name: "ties-what-it-saw",
    doc: "Writes what it has decided, without another look at the set, and takes its time.",
    scenarios: ["policy-flips", "kept-in-time", "policy-turns-at-once"],
    within: 40,
    rule: own_,
    start: (tools) =>
      withClient(
        starting({
          ...setOwner,
          decide: changed(setOwner, (decision) =>
            decision.do === "write" ? { ...decision, preconditions: [] } : decision,
          ),
        }),
        (client) => ({
          patch: async <T extends KubernetesObject>(...patch: Parameters<Client["patch"]>) => {
            const operations = patch[3] === "json" ? (patch[4] as { op: string; path: string }[]) : [];
            const ties = operations.some(
              ({ op, path }) => op === "add" && path.startsWith("/metadata/ownerReferences"),
            );
            if (ties) await tools.clock.sleep(12_000);
            return client.patch<T>(...patch);
          },
        }),
      )(tools),
  },
  {
    name: "unties-nothing",
    doc: "Leaves references on claims where they stay: Kubernetes' own controller takes them off.",
    scenarios: ["kept-in-time"],
    by: "fault-free runs",
    within: 12,
    ...deciding((decisions) => decisions.filter((one) => one.do !== "write" || one.about.kind === "StatefulSet")),
  },
  {
    name: "ties-nothing",
    doc: "Looks after the claims of pods that are there, as Kubernetes' own controller does.",
    scenarios: ["policy-turns"],
    by: "fault-free runs",
    within: 6,
    ...deciding((decisions) => decisions.filter((one) => one.do !== "write" || !one.preconditions)),
  },
  {
    name: "forgets-nothing",
    doc: "Leaves its notes on claims whose set has no policy any more: they do no harm.",
    scenarios: ["policy-gone"],
    by: "fault-free runs",
    within: 6,
    ...deciding((decisions, { set }) =>
      readProgress(set, syncPolicy.name) ? decisions : decisions.filter(({ about }) => about.kind === "StatefulSet"),
    ),
  },
  {
    name: "owners-replaced-whole",
    doc: "Writes the list of a claim's owners as it is to be, instead of its own element of it.",
    scenarios: ["policy-turns-back"],
    within: 12,
    ...faulty(setOwner, {
      decide: changed(
        setOwner,
        withWrites((writes) =>
          writes.map((write) => {
            if (write.verb !== "patch" || write.type !== "json") return write;
            const guards = (write.patch as unknown[]).slice(0, 2);
            return { ...write, patch: [...guards, { op: "remove", path: "/metadata/ownerReferences" }] };
          }),
        ),
      ),
    }),
  },
  {
    name: "empties-annotations",
    doc: "Empties the annotations of a claim that it unties, which are about nothing any more.",
    scenarios: ["policy-turns-back"],
    within: 8,
    ...faulty(setOwner, {
      decide: changed(setOwner, (decision) => {
        if (decision.do !== "write" || decision.kind !== PersistentVolumeClaim) return decision;
        const { about } = decision;
        const gone = Object.fromEntries(Object.keys(about.metadata.annotations ?? {}).map((key) => [key, null]));
        return { ...decision, writes: [annotate(PersistentVolumeClaim, about, gone)] };
      }),
    }),
  },
  {
    name: "overrides-a-retain-that-is-applied",
    doc: "Takes any Retain for a default that the server has filled in.",
    scenarios: ["field-applied"],
    within: 6,
    ...faulty(syncPolicy, {
      decide: (facts, now, settings) =>
        syncPolicy.decide(
          facts.map(({ set, policy }) => ({
            policy,
            set: { ...set, metadata: { ...set.metadata, managedFields: [] } },
          })),
          now,
          settings,
        ),
    }),
  },
  {
    name: "forces-the-field-for-ever",
    doc: "Puts the field back as often as another client takes it back: the policy is the admin's word.",
    scenarios: ["field-fought-over"],
    within: 6,
    ...faulty(syncPolicy, {
      decide: (facts, now, settings) =>
        syncPolicy.decide(
          facts.map(({ set, policy }) => {
            const { [progressKey(syncPolicy.name)]: _, ...annotations } = set.metadata.annotations ?? {};
            return { policy, set: { ...set, metadata: { ...set.metadata, annotations } } };
          }),
          now,
          settings,
        ),
    }),
  },
  {
    name: "keeps-what-was-projected",
    doc: "Leaves the field as it is when a set has no policy any more: no user has asked for another.",
    scenarios: ["policy-gone", "namespace-turns"],
    by: "fault-free runs",
    within: 8,
    ...faulty(syncPolicy, {
      decide: (facts, now, settings) =>
        syncPolicy.decide(
          facts.filter(({ policy }) => policy),
          now,
          settings,
        ),
    }),
  },
];
