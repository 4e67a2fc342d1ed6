import { expire } from "../../../functions/undelete/expire/rule.ts";
import { readNote } from "../../../functions/undelete/lib/note.ts";
import { reserve } from "../../../functions/undelete/reserve/rule.ts";
import { retain } from "../../../functions/undelete/retain/rule.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Volume } from "../../../shared/storage/volume.ts";
import { changed, faulty, type Mutant, seeing, withWrites } from "../mutants/mutant.ts";
import { reclaimAtKey } from "./volumes.ts";

type Patch = { metadata: Record<string, unknown>; spec?: Record<string, unknown> };

/** A decision with every patch of a volume changed. */
const withPatches = (change: (patch: Patch, about: KubernetesObject) => object) =>
  withWrites((writes, about) =>
    writes.map((write) =>
      write.verb === "patch" && write.type === "merge"
        ? { ...write, patch: change(write.patch as Patch, about) }
        : write,
    ),
  );

const withSpec = (patch: Patch, spec: object | undefined): object =>
  spec ? { ...patch, spec } : { metadata: patch.metadata };
const now = "2026-01-01T00:00:00Z";

/** Functions with a fault each. */
export const mutants: readonly Mutant[] = [
  {
    name: "note-without-policy",
    doc: "Notes how long a volume is kept, and leaves its policy to the user who deletes the claim.",
    scenarios: ["claim-comes-back"],
    within: 5,
    ...faulty(retain, {
      decide: changed(
        retain,
        withPatches((patch) => withSpec(patch, undefined)),
      ),
    }),
  },
  {
    name: "scope-taken-back-in-vain",
    doc: "Keeps what was once to be kept, which cannot be wrong.",
    scenarios: ["scope-changes"],
    within: 5,
    ...faulty(retain, {
      decide: (...args) =>
        retain
          .decide(...args)
          .filter((decision) => !(decision.do === "write" && decision.event?.reason === "NotKeptAnyMore")),
    }),
  },
  {
    name: "counts-what-is-bound",
    doc: "Counts all that it has noted, because all of it may have to be kept one day.",
    scenarios: ["namespace-full"],
    within: 5,
    ...faulty(retain, {
      look: seeing(retain, async (facts, _, view) => {
        const all = await Array.fromAsync(view.client.list<Volume>(PersistentVolume));
        const [kept, most] = [all.filter((volume) => readNote(volume)).length * 2 ** 30, 2 ** 30];
        const reached = kept < most ? undefined : { kept, most, setBy: "MOST_KEPT is 1Gi", raise: "raise MOST_KEPT" };
        return facts.map((one) => ({ ...one, reached }));
      }),
    }),
  },
  {
    name: "claim-gone-is-scope-gone",
    doc: "Gives a volume its policy back as soon as no claim says that it is kept.",
    scenarios: ["claim-stays-away", "claim-comes-back"],
    within: 10,
    ...faulty(retain, {
      subjects: (hint, settings) =>
        hint.kind === "PersistentVolume"
          ? [{ kind: PersistentVolume, name: hint.name }]
          : retain.subjects(hint, settings),
      look: seeing(retain, async (facts, subject, view) => {
        const volume =
          facts.length === 0 && (await view.client.get<Volume>(PersistentVolume, undefined, subject.name ?? ""));
        const { claimRef, persistentVolumeReclaimPolicy: policy } = volume ? volume.spec : {};
        if (!volume || subject.kind !== PersistentVolume || policy !== "Retain" || !claimRef?.uid) return facts;
        const { name = "", namespace = "" } = claimRef;
        const metadata = { ...volume.metadata, name, namespace, annotations: {} };
        const silent = { ...volume, metadata };
        return [{ volume, claim: { ...silent, spec: {} } as never, namespace: silent, storageClass: silent }];
      }),
      decide: changed(retain, (decision) => (decision.do === "write" ? { ...decision, preconditions: [] } : decision)),
    }),
  },
  {
    name: "policy-of-the-note-forgotten",
    doc: "Sets no policy when the scope goes: what is Retain is safe.",
    scenarios: ["scope-changes"],
    within: 5,
    ...faulty(retain, {
      decide: changed(
        retain,
        withPatches((patch) =>
          patch.spec?.persistentVolumeReclaimPolicy === "Delete" ? withSpec(patch, undefined) : patch,
        ),
      ),
    }),
  },
  {
    name: "any-namespace-of-the-name",
    doc: "Takes a namespace for the same when its name is.",
    scenarios: ["namespace-replaced"],
    within: 5,
    ...faulty(reserve, { decide: (facts, at) => reserve.decide(facts, at, { otherNamespace: "always" }) }),
  },
  {
    name: "offers-unguarded",
    doc: "Offers without holding the namespace, because namespaces seldom go.",
    scenarios: ["namespace-replaced"],
    within: 60,
    ...faulty(reserve, {
      decide: (...args) =>
        reserve.decide(...args).filter(({ kind, about }) => kind.kind !== "Namespace" || isBeingDeleted(about)),
    }),
  },
  {
    name: "offers-left-behind",
    doc: "Lets a namespace go without a look at what is offered there.",
    scenarios: ["namespace-replaced"],
    within: 30,
    ...faulty(reserve, {
      decide: (facts, ...rest) =>
        reserve.decide(facts?.namespace?.metadata.deletionTimestamp ? { ...facts, volumes: [] } : facts, ...rest),
    }),
  },
  {
    name: "namespace-held-for-ever",
    doc: "Never lets a namespace go, because a volume may be offered there again.",
    scenarios: ["namespace-replaced", "claim-comes-back"],
    within: 5,
    ...faulty(reserve, {
      decide: (...args) =>
        reserve.decide(...args).filter(({ kind, about }) => kind.kind !== "Namespace" || !isBeingDeleted(about)),
    }),
  },
  {
    name: "claims-not-asked-for",
    doc: "Believes the event that a claim is gone.",
    scenarios: ["claim-comes-back", "claim-made-again"],
    within: 20,
    ...faulty(reserve, {
      look: async (...args) => {
        const facts = await reserve.look(...args);
        // By the phase alone, reserve would still see that a claim has the volume.
        const released = (one: Volume) => ({ ...one, status: { ...one.status, phase: "Released" } });
        return facts && { ...facts, volumes: facts.volumes.map(released), claims: new Map() };
      },
    }),
  },
  {
    name: "never-offers",
    doc: "Keeps volumes for a user who comes to fetch them.",
    scenarios: ["claim-comes-back"],
    within: 5,
    ...faulty(reserve, {
      decide: changed(
        reserve,
        withPatches((patch) => withSpec(patch, undefined)),
      ),
    }),
  },
  {
    name: "time-of-the-note",
    doc: "Goes by the time in the note, which is as good as the one on the volume.",
    scenarios: ["times-moved", "claim-stays-away"],
    within: 60,
    ...faulty(expire, {
      decide: (facts, at) => {
        if (!facts) return [];
        const { volume } = facts;
        const annotations = { ...volume.metadata.annotations, [reclaimAtKey]: now };
        return expire.decide(
          { ...facts, volume: { ...volume, metadata: { ...volume.metadata, annotations } } },
          at,
          {},
        );
      },
    }),
  },
  {
    name: "policy-alone",
    doc: "Hands a volume back by its policy, which is all that keeps it.",
    scenarios: ["claim-stays-away"],
    within: 5,
    ...faulty(expire, {
      decide: changed(
        expire,
        withPatches((patch) => {
          const { claimRef: _, ...spec } = patch.spec ?? {};
          return withSpec(patch, spec);
        }),
      ),
    }),
  },
  {
    name: "never-expires",
    doc: "Keeps every volume for good, which is the safest.",
    scenarios: ["claim-stays-away"],
    within: 5,
    ...faulty(expire, { decide: () => [] }),
  },
  {
    name: "tidies-up",
    doc: "Takes the annotations of a volume off altogether when it hands it back.",
    scenarios: ["claim-stays-away"],
    within: 5,
    ...faulty(expire, {
      decide: changed(
        expire,
        withPatches((patch, { metadata }) => {
          const annotations = Object.fromEntries(Object.keys(metadata.annotations ?? {}).map((key) => [key, null]));
          return { ...patch, metadata: { ...patch.metadata, annotations } };
        }),
      ),
    }),
  },
];
