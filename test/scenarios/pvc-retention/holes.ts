import { Event, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { bareNode } from "../../worlds/cluster-objects.ts";
import { claim, pod } from "../../worlds/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  belongsTo,
  changePolicy,
  claimIsGone,
  claimName,
  claimOf,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  hasEvent,
  patchClaim,
  podIsGone,
  provideClaim,
  runningSet,
  scale,
} from "./helpers.ts";
import { both, onDeletion } from "./policies.ts";

const Claims = "PersistentVolumeClaim";

/** What Kubernetes' own controller leaves open, and users run into; and what only looks as if it were the set's. */
export const holes: readonly Scenario[] = [
  {
    title: "claims of replicas that were scaled away under Retain go with the set, if the policy turns before",
    async run(world) {
      await runningSet(world, { policy: "Retain", replicas: 3 });
      const data = await dataOf(world, [0, 1, 2]);
      await scale(world, 1);
      for (const ordinal of [1, 2]) await podIsGone(world, ordinal);
      await dataStays(world, [0, 1, 2], data);
      await changePolicy(world, onDeletion);
      await deleteSet(world);
      await dataGoes(world, [0, 1, 2], data);
    },
  },
  {
    title: "claims that the set had left before it had a policy stay, and an Event has the command that includes them",
    async run(world) {
      await runningSet(world);
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await changePolicy(world, onDeletion);
      const { note } = await hasEvent(world, Claims, claimName(1), "ClaimNotIncluded");
      await belongsTo(world, 1, []);
      const [, key = "", value = ""] = /'([^=]+)=(.*)'$/.exec(note) ?? [];
      await patchClaim(world, 1, { annotations: { [key]: value } });
      await changePolicy(world, "Retain");
      await changePolicy(world, onDeletion);
      await belongsTo(world, 1, ["StatefulSet web"]);
      await world.eventually("the Event is cleared", async () => {
        for await (const event of world.admin.list(Event, { namespace: world.namespace }))
          if ((event as { reason?: string }).reason === "ClaimNotIncluded") return false;
        return true;
      });
      await deleteSet(world);
      await dataGoes(world, [0, 1], data);
    },
  },
  {
    title: "a claim that looks like the set's, and that somebody else's pod uses, stays when the set goes",
    async run(world) {
      const { admin, namespace } = world;
      const name = "data-web-2024";
      const spec = { storageClassName: "standard" };
      await admin.create(PersistentVolumeClaim, claim({ namespace, name, labels: { app: "reports" } }, spec));
      await admin.create(Pod, pod({ namespace, name: "reports" }, [name], { nodeName: bareNode }));
      await provideClaim(world, 7);
      const data = [...(await dataOf(world, [2024])), ...(await dataOf(world, [7]))];
      await runningSet(world, { policy: both });
      await hasEvent(world, Claims, claimName(7), "ClaimNotIncluded");
      await deleteSet(world);
      await dataStays(world, [2024, 7], data);
    },
  },
  {
    title: "a claim that another's pod uses is not tied to the set, although the set has used it",
    async run(world) {
      const { admin, namespace } = world;
      await runningSet(world, { policy: "Retain" });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await admin.create(Pod, pod({ namespace, name: "rescue" }, [claimName(1)], { nodeName: bareNode }));
      await changePolicy(world, onDeletion);
      await belongsTo(world, 1, []);
      await deleteSet(world);
      await dataStays(world, [1], data.slice(1));
    },
  },
  {
    title: "a claim whose labels somebody has taken off is kept like all others when the policy turns to Retain",
    async run(world) {
      await runningSet(world, { policy: onDeletion });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await patchClaim(world, 1, { labels: { app: null } });
      await changePolicy(world, "Retain");
      await belongsTo(world, 1, []);
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "a claim whose labels somebody has taken off after the set used it stays, and says so",
    async run(world) {
      await runningSet(world, { policy: "Retain" });
      const data = await dataOf(world, [0, 1]);
      await scale(world, 1);
      await podIsGone(world, 1);
      await patchClaim(world, 1, { labels: { app: null } });
      await changePolicy(world, onDeletion);
      await hasEvent(world, Claims, claimName(1), "ClaimNotIncluded");
      await deleteSet(world);
      await dataGoes(world, [0], data);
      await dataStays(world, [1], data.slice(1));
    },
  },
  {
    title: "a set does not take along the claims of another one whose names yield the same, which is gone before it",
    async run(world) {
      await runningSet(world, { name: "c", templates: ["data-b"], replicas: 1, policy: both });
      await runningSet(world, { name: "b-c", replicas: 3, policy: "Retain" });
      const data = await dataOf(world, [0, 1, 2], "b-c");
      await deleteSet(world, "Background", "b-c");
      for (const ordinal of [0, 1, 2]) await podIsGone(world, ordinal, "b-c");
      await world.sweep();
      await world.rest();
      await deleteSet(world, "Background", "c");
      await dataStays(world, [1, 2], data.slice(1), "b-c");
      // The one that both have used belongs to the one that is left, as it does without us.
      await claimIsGone(world, 0, data[0]?.claim ?? "", "b-c");
    },
    within: true,
  },
  {
    title: "a claim of a copied note is not the set's",
    async run(world) {
      await runningSet(world, { policy: "Retain" });
      const key = "holdfast.dev/pvc-retention.set-owner";
      const note = (await claimOf(world, 0))?.metadata.annotations?.[key] ?? "";
      await provideClaim(world, 5, { annotations: { [key]: note }, labels: { app: "web" } });
      const data = await dataOf(world, [5]);
      await changePolicy(world, onDeletion);
      await hasEvent(world, Claims, claimName(5), "ClaimNotIncluded");
      await deleteSet(world);
      await dataStays(world, [5], data);
    },
  },
];
