import { protect } from "../../../functions/pvc-protection/protect/rule.ts";
import { release } from "../../../functions/pvc-protection/release/rule.ts";
import type { Decision, WriteStep } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isConflict } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { type Broken, starting } from "./broken.ts";
import { withClient } from "./clients.ts";

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
    scenarios: ["late-binding-alone", "replaced-alone", "used-alone"],
    within: 60,
    rule: release.name,
    start: writing((write) => [
      withOperations(
        write,
        operations(write).filter(({ path }) => !["/metadata/uid", "/metadata/resourceVersion"].includes(path)),
      ),
    ]),
  },
  {
    name: "conflict-overridden",
    doc: "After a conflict, sends the same write again with the version that is there now.",
    scenarios: ["late-binding-alone", "late-binding"],
    within: 150,
    rule: release.name,
    start: withClient(starting(release), (client) => ({ patch: overriding(client) })),
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

function overriding(client: Client): Client["patch"] {
  return async (kind, namespace, name, type, patch, options) => {
    try {
      return await client.patch(kind, namespace, name, type, patch, options);
    } catch (error) {
      if (!isConflict(error) || !Array.isArray(patch)) throw error;
      const live = await client.get(kind, namespace, name);
      if (!live) return undefined;
      const { uid, resourceVersion, finalizers = [] } = live.metadata;
      const removed = (patch as Operation[]).find(
        ({ op, value }) => op === "test" && typeof value === "string" && value.includes("/"),
      );
      const path = `/metadata/finalizers/${finalizers.indexOf(String(removed?.value))}`;
      return client.patch(kind, namespace, name, "json", [
        { op: "test", path: "/metadata/uid", value: uid },
        { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
        { op: "test", path, value: removed?.value },
        { op: "remove", path },
      ]);
    }
  };
}
