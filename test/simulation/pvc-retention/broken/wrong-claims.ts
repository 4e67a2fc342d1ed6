import { condemn } from "../../../../functions/pvc-retention/condemn/rule.ts";
import { own } from "../../../../functions/pvc-retention/own/rule.ts";
import { annotate } from "../../../../shared/kubernetes/annotate.ts";
import { PersistentVolumeClaim, StatefulSet } from "../../../../shared/kubernetes/kind.ts";
import { type Broken, starting } from "../../broken/broken.ts";
import { deciding, seeing, seeingClaims } from "./deciding.ts";

type Operation = { op: string; path: string; value?: unknown };
const owners = "/metadata/ownerReferences";

/** Faults of whom a claim belongs to, and of which claims are condemned. */
export const wrongClaims: readonly Broken[] = [
  {
    name: "deleted-without-guard",
    doc: "Deletes a condemned claim by its name, because nobody else would have one of that name.",
    scenarios: ["scaled-by-rules"],
    within: 24,
    rule: condemn.name,
    start: deciding(condemn, (decisions) =>
      decisions.map((decision) =>
        decision.do === "write"
          ? {
              ...decision,
              writes: decision.writes.map((write) => (write.verb === "delete" ? { ...write, options: {} } : write)),
            }
          : decision,
      ),
    ),
  },
  {
    name: "condemned-by-prefix",
    doc: "Takes every claim whose name begins like those of the set, and reads the ordinal generously.",
    scenarios: ["claims-made-before"],
    within: 6,
    rule: condemn.name,
    start: starting({
      ...condemn,
      look: async (subject, view) => {
        const facts = await condemn.look(subject, view);
        if (!facts || facts.claims.length === 0) return facts;
        const { namespace = "", name } = facts.set.metadata;
        const all = await Array.fromAsync(view.client.list(PersistentVolumeClaim, { namespace, metadataOnly: true }));
        const prefix = `data-${name}-`;
        const more = all.filter(
          ({ metadata }) =>
            metadata.name.startsWith(prefix) && !facts.claims.some(({ claim }) => claim.metadata.uid === metadata.uid),
        );
        const claims = more.map((claim) => {
          const ordinal = Number.parseInt(claim.metadata.name.slice(prefix.length), 10);
          return { claim, template: "data", ordinal, inRange: false, pod: undefined, rival: undefined };
        });
        return { ...facts, claims: [...facts.claims, ...claims] };
      },
    }),
  },
  {
    name: "ordinals-start-ignored",
    doc: "Counts replicas from 0, as sets did for years.",
    scenarios: ["ordinals-moved"],
    within: 4,
    rule: condemn.name,
    start: seeingClaims(condemn, (one, { set }) => ({ ...one, inRange: one.ordinal < (set.spec.replicas ?? 1) })),
  },
  {
    name: "contested-ignored",
    doc: "Does not ask whether another set yields the names of its claims, which nobody does on purpose.",
    scenarios: ["rival-sets"],
    within: 8,
    rule: condemn.name,
    start: seeingClaims(condemn, (one) => ({ ...one, rival: undefined })),
  },
  {
    name: "scale-up-not-noticed",
    doc: "Waits a little before it deletes what it has found condemned, so that people can change their minds.",
    scenarios: ["scaled-by-rules", "ordinals-moved"],
    within: 12,
    rule: condemn.name,
    start: (tools) =>
      starting({
        ...condemn,
        look: async (subject, view) => {
          const facts = await condemn.look(subject, view);
          await tools.clock.sleep(12_000);
          return facts;
        },
      })(tools),
  },
  {
    name: "nobody-nudged",
    doc: "Leaves it to Kubernetes to see that a claim has gone that a set waits for.",
    scenarios: ["scaled-down-and-up"],
    by: "smooth runs",
    within: 12,
    rule: condemn.name,
    start: seeing(condemn, ({ missing: _, ...facts }) => facts),
  },
  {
    name: "leaves-what-was-scaled-away-before",
    doc: "Looks at a claim when its pod goes, and at no other time.",
    scenarios: ["policy-flips-by-rules", "policy-flips"],
    within: 40,
    rule: condemn.name,
    start: starting({
      ...condemn,
      subjects: (hint, settings) => (hint.kind === "Pod" ? condemn.subjects(hint, settings) : []),
    }),
  },
  {
    name: "owners-replaced-whole",
    doc: "Writes the list of a claim's owners as it is to be, instead of its own element of it.",
    scenarios: ["claims-made-before"],
    within: 24,
    rule: own.name,
    start: deciding(own, (decisions) =>
      decisions.map((decision) => {
        if (decision.do !== "write") return decision;
        const writes = decision.writes.map((write) => {
          if (write.verb !== "patch") return write;
          const operations = write.patch as Operation[];
          const added = operations.filter(({ op, path }) => op === "add" && path.startsWith(owners));
          const others = operations.filter(({ path }) => !path.startsWith(owners));
          const value = added.flatMap(({ value }) => value);
          return { ...write, patch: [...others, { op: "add", path: owners, value }] };
        });
        return { ...decision, writes };
      }),
    ),
  },
  {
    name: "claims-without-a-pod-left-alone",
    doc: "Looks after the claims of pods that are there, as Kubernetes' own controller does.",
    scenarios: ["policy-turns", "policy-flips"],
    within: 12,
    rule: own.name,
    start: seeingClaims(own, (one) => (one.pod ? one : undefined)),
  },
  {
    name: "somebody-elses-metadata",
    doc: "Empties the annotations of a claim that it gives away, which are about a claim that goes anyway.",
    scenarios: ["policy-turns"],
    within: 6,
    rule: own.name,
    start: deciding(own, (decisions) =>
      decisions.map((decision) => {
        if (decision.do !== "write") return decision;
        const { about } = decision;
        const gone = Object.fromEntries(Object.keys(about.metadata.annotations ?? {}).map((key) => [key, null]));
        const emptied = annotate(PersistentVolumeClaim, about, gone);
        return { ...decision, writes: about.kind === StatefulSet.kind ? decision.writes : [emptied] };
      }),
    ),
  },
];
