import { release } from "../../../../functions/pvc-protection/release/rule.ts";
import { isConflict } from "../../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { withClient } from "../../mutants/clients.ts";
import { changed, faulty, type Mutant, starting, withWrites } from "../../mutants/mutant.ts";

type Operation = { op: string; path: string; value?: unknown };

/** A release that guards the removal of a finalizer by less than what it has read. */
const unguardedBy = (...guards: readonly string[]) =>
  faulty(release, {
    decide: changed(
      release,
      withWrites((writes) =>
        writes.map((write) =>
          write.verb === "patch"
            ? { ...write, patch: (write.patch as Operation[]).filter(({ path }) => !guards.includes(path)) }
            : write,
        ),
      ),
    ),
  });

type Patch = Parameters<Client["patch"]>;

/** Changes the JSON Patches that release sends, with what the kit has put into them. */
const patching = (
  change: (
    operations: readonly Operation[],
    send: (operations: readonly Operation[]) => Promise<KubernetesObject | undefined>,
    client: Client,
    patch: Patch,
  ) => Promise<KubernetesObject | undefined>,
) =>
  withClient(starting(release), (client) => ({
    patch: <T extends KubernetesObject>(...patch: Patch) => {
      const [kind, namespace, name, type, body, options] = patch;
      if (type !== "json") return client.patch<T>(...patch);
      const send = (operations: readonly Operation[]) => client.patch(kind, namespace, name, type, operations, options);
      return change(body as Operation[], send, client, patch) as Promise<T | undefined>;
    },
  }));

const isOfAnnotation = ({ path }: Operation) => path.startsWith("/metadata/annotations/");

/** One run in six finds that a removal is not guarded: 25 runs miss it once in ninety draws of the numbers. */
const withinUnguarded = 25;

export const carelessWrites: readonly Mutant[] = [
  {
    name: "no-guard",
    doc: "Removes the finalizer by its position and name, also if the claim has changed since it was read.",
    scenarios: ["restless-claim"],
    within: withinUnguarded,
    ...unguardedBy("/metadata/uid", "/metadata/resourceVersion"),
  },
  {
    name: "no-resource-version",
    doc: "Guards the removal by the claim's uid alone, because a finalizer that may go may go from any version.",
    scenarios: ["restless-claim"],
    within: withinUnguarded,
    ...unguardedBy("/metadata/resourceVersion"),
  },
  {
    name: "annotations-replaced-whole",
    doc: "Takes its annotation away by emptying the annotations, which are about a claim that goes anyway.",
    scenarios: ["many-claims-alone"],
    within: 5,
    rule: release.name,
    start: patching((operations, send) =>
      send(
        operations.map((operation) =>
          isOfAnnotation(operation) ? { op: "replace", path: "/metadata/annotations", value: {} } : operation,
        ),
      ),
    ),
  },
  {
    name: "conflict-swallowed",
    doc: "Takes a conflict for done, because the faster writer will have seen to it.",
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
    start: patching(async (operations, send, client, [kind, namespace, name]) => {
      const left = await send(operations.filter((operation) => !isOfAnnotation(operation)));
      const annotations = { "holdfast.dev/pvc-protection.release": null };
      if (operations.some(isOfAnnotation))
        await client.patch(kind, namespace, name, "merge", { metadata: { annotations } });
      return left;
    }),
  },
  {
    name: "annotation-forgotten",
    doc: "Takes the finalizer away and leaves the annotation to the user who removes the claim.",
    scenarios: ["many-claims-alone"],
    within: 5,
    rule: release.name,
    start: patching((operations, send) => send(operations.filter((operation) => !isOfAnnotation(operation)))),
  },
  {
    name: "finalizer-in-a-finally",
    doc: "Takes the finalizer away in the end, even when something went wrong before, so that no claim hangs.",
    scenarios: ["used-alone"],
    within: 100,
    ...faulty(release, {
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
