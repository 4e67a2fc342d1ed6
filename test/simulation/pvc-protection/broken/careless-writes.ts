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
    within: 15,
    rule: release.name,
    start: writing((write) => [
      withOperations(
        write,
        operations(write).filter(({ path }) => !["/metadata/uid", "/metadata/resourceVersion"].includes(path)),
      ),
    ]),
  },
  {
    name: "no-resource-version",
    doc: "Guards the removal by the claim's uid alone, because a finalizer that may go may go from any version.",
    scenarios: ["restless-claim"],
    within: 15,
    rule: release.name,
    start: writing((write) => [
      withOperations(
        write,
        operations(write).filter(({ path }) => path !== "/metadata/resourceVersion"),
      ),
    ]),
  },
  {
    name: "annotations-replaced-whole",
    doc: "Takes its annotation away by emptying the annotations, which are about a claim that goes anyway.",
    scenarios: ["many-claims-alone"],
    within: 5,
    rule: release.name,
    start: writing((write) => [
      withOperations(
        write,
        operations(write).map((operation) =>
          isOfAnnotation(operation) ? { op: "replace", path: "/metadata/annotations", value: {} } : operation,
        ),
      ),
    ]),
  },
  {
    name: "conflict-swallowed",
    doc: "Takes a conflict for done, because whoever was faster will have seen to it.",
    scenarios: ["used-alone"],
    by: "points",
    within: 400,
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
    within: 10,
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
    within: 5,
    rule: release.name,
    start: writing((write) => [
      withOperations(
        write,
        operations(write).filter((one) => !isOfAnnotation(one)),
      ),
    ]),
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
