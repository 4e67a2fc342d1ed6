import { protect } from "../../../../functions/pvc-protection/protect/rule.ts";
import { release } from "../../../../functions/pvc-protection/release/rule.ts";
import type { Decision, WriteStep } from "../../../../shared/decision.ts";
import { annotate } from "../../../../shared/kubernetes/annotate.ts";
import { isConflict } from "../../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { Write } from "../../../../shared/kubernetes/write.ts";
import { type Broken, starting } from "../../broken/broken.ts";
import { withClient } from "../../broken/clients.ts";

type Operation = { op: string; path: string; value?: unknown };

/** Changes what release writes when it takes a finalizer away. */
const writing = (change: (write: Write, step: WriteStep) => readonly Write[]) =>
  starting({
    ...release,
    decide: (facts, now, settings): Decision[] =>
      release
        .decide(facts, now, settings)
        .map((decision) =>
          decision.do === "write"
            ? { ...decision, writes: decision.writes.flatMap((write) => change(write, decision)) }
            : decision,
        ),
  });

const operations = (write: Write) => (write.verb === "patch" ? (write.patch as Operation[]) : []);
const withOperations = (write: Write, patch: readonly Operation[]) => ({ ...write, patch }) as Write;
const isOfAnnotation = ({ path }: Operation) => path.startsWith("/metadata/annotations/");

export const carelessWrites: readonly Broken[] = [
  {
    name: "no-guard",
    doc: "Removes the finalizer by its position and name, whatever became of the claim since it was read.",
    scenarios: ["restless-claim"],
    within: 10,
    rule: release.name,
    start: writing((write) => [
      withOperations(
        write,
        operations(write).filter(({ path }) => !["/metadata/uid", "/metadata/resourceVersion"].includes(path)),
      ),
    ]),
  },
  {
    name: "conflict-swallowed",
    doc: "Takes a conflict for done, because whoever was faster will have seen to it.",
    scenarios: ["used-alone"],
    by: "points",
    within: 150,
    rule: release.name,
    start: withClient(starting(release), (client) => ({
      patch: <T extends KubernetesObject>(...args: Parameters<Client["patch"]>) =>
        client.patch<T>(...args).catch((error) => {
          if (isConflict(error)) return undefined;
          throw error;
        }),
    })),
  },
  {
    name: "annotation-after-the-finalizer",
    doc: "Takes the finalizer away in one write and the annotation in another.",
    scenarios: ["many-claims-alone"],
    within: 120,
    rule: release.name,
    start: writing((write, { about }) => {
      const kept = operations(write).filter((operation) => !isOfAnnotation(operation));
      const cleaned = operations(write).filter(isOfAnnotation);
      if (cleaned.length === 0) return [write];
      const { resourceVersion: _, ...metadata } = about.metadata;
      const gone = annotate(
        PersistentVolumeClaim,
        { ...about, metadata: metadata as typeof about.metadata },
        {
          "holdfast.dev/pvc-protection.release": null,
        },
      );
      return [withOperations(write, kept), gone];
    }),
  },
  {
    name: "annotation-forgotten",
    doc: "Takes the finalizer away and leaves the annotation to whoever removes the claim.",
    scenarios: ["many-claims-alone"],
    within: 10,
    rule: release.name,
    start: writing((write) => [
      withOperations(
        write,
        operations(write).filter((one) => !isOfAnnotation(one)),
      ),
    ]),
  },
  {
    name: "list-replaced-whole",
    doc: "Protects by a merge patch that sets the list of finalizers.",
    scenarios: ["deleted-while-used"],
    within: 5,
    rule: protect.name,
    start: starting({
      ...protect,
      decide: (claim, now, settings): Decision[] =>
        protect.decide(claim, now, settings).map((decision) => {
          if (decision.do !== "write" || !claim) return decision;
          const { namespace, name, uid, resourceVersion } = claim.metadata;
          const patch = { metadata: { uid, resourceVersion, finalizers: [settings.finalizer] } };
          return {
            ...decision,
            writes: [{ verb: "patch", kind: PersistentVolumeClaim, namespace, name, type: "merge", patch }],
          };
        }),
    }),
  },
  {
    name: "finalizer-in-a-finally",
    doc: "Takes the finalizer away in the end, even when something went wrong before, so that no claim hangs.",
    scenarios: ["used-alone"],
    within: 40,
    rule: release.name,
    start: starting({
      ...release,
      look: async (subject, view) => {
        try {
          return await release.look(subject, view);
        } catch {
          const { namespace = "" } = subject;
          const all = await Array.fromAsync(view.client.list(PersistentVolumeClaim, { namespace, metadataOnly: true }));
          const claims = all.filter(
            ({ metadata }) => metadata.deletionTimestamp && metadata.finalizers?.includes(view.settings.finalizer),
          );
          return { claims, users: new Map() };
        }
      },
    }),
  },
];
