import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { Namespace, PersistentVolume } from "../../harness/kinds.ts";
import { claim, manifest } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import { claimIsBound, claimIsGone, type User } from "../user.ts";
import { narrow, shipped } from "./settings.ts";
import { keepKey, noteOf, offerKey, reclaimAtKey, successorKey, type VolumeLike } from "./volumes.ts";

/** All volumes of the cluster: only those of scenarios are there. */
async function volumes(user: User): Promise<readonly VolumeLike[]> {
  return (await user.list(PersistentVolume)) as readonly VolumeLike[];
}

const someIs = (step: string) => async (user: User) =>
  (await volumes(user)).some((volume) => noteOf(volume)?.step === step);
const noneIsLeft = async (user: User) => (await volumes(user)).length === 0;

/** Creates a claim and waits until its volume is noted. */
async function keptClaim(user: User, name: string, keep: string): Promise<void> {
  await user.createClaim(name, { annotations: { [keepKey]: keep } });
  await user.until(claimIsBound(name));
  await user.until(someIs("retained"));
}

async function deleteClaim(user: User, name: string): Promise<void> {
  await user.deleteClaim(name);
  await user.until(claimIsGone(name));
}

async function annotateVolumes(user: User, annotations: Record<string, string | null>): Promise<void> {
  for (const { metadata } of await volumes(user))
    await user.attempt(`annotates volume ${metadata.name} with ${JSON.stringify(annotations)}`, (client) =>
      client.patch(PersistentVolume, undefined, metadata.name, "merge", { metadata: { annotations } }),
    );
}

const createNamespace = (user: User, annotations: Record<string, string> = {}) =>
  user.attempt("creates the namespace", (client, name) =>
    client.create(Namespace, manifest(Namespace, { name, annotations })),
  );

const namespaceIsGone = async (user: User) =>
  !(await user.list(Namespace)).some(({ metadata }) => metadata.name === user.namespace);

const usual = { setting: shipped, controllers: ["namespace-controller", "persistentvolume-protection-controller"] };

/** What users do to volumes that outlive their claims. */
export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    name: "claim-comes-back",
    doc: "A claim is deleted and created again, twice, and another one beside it stays away.",
    async act(user) {
      await keptClaim(user, "data", "24h");
      await keptClaim(user, "other", "24h");
      await user.pause(2_000);
      for (let round = 0; round < 2; round++) {
        await deleteClaim(user, "data");
        await user.pause(4_000);
        await user.createClaim("data", { annotations: { [keepKey]: "24h" } });
        await user.until(claimIsBound("data"));
        await user.pause(4_000);
      }
      await deleteClaim(user, "other");
    },
  },
  {
    ...usual,
    name: "claim-stays-away",
    doc: "A claim is deleted, and its volume is handed back when its time has come.",
    waits: true,
    async act(user) {
      await keptClaim(user, "data", "90s");
      await deleteClaim(user, "data");
      await user.pause(10_000);
      await keptClaim(user, "other", "30s");
      await deleteClaim(user, "other");
      await user.until(noneIsLeft);
    },
  },
  {
    ...usual,
    name: "claim-comes-back-late",
    doc: "A claim comes back just when its volume is due.",
    waits: true,
    async act(user) {
      await keptClaim(user, "data", "40s");
      await deleteClaim(user, "data");
      await user.until(someIs("offered"));
      await user.pause(60_000);
      await user.createClaim("data", { annotations: { [keepKey]: "24h" } });
      await user.until(claimIsBound("data"));
    },
  },
  {
    ...usual,
    setting: narrow,
    name: "namespace-full",
    doc: "As much is kept as may be: the other claims' volumes go with them until some of it is handed back.",
    waits: true,
    async act(user) {
      await keptClaim(user, "data", "60s");
      await keptClaim(user, "other", "24h");
      // Longer than a minute: what a user has changed within one may not be seen yet.
      await user.pause(150_000);
      await deleteClaim(user, "data");
      await user.until(someIs("unkept"));
      await user.createClaim("late", { annotations: { [keepKey]: "24h" } });
      await user.until(claimIsBound("late"));
      await user.pause(30_000);
      await deleteClaim(user, "late");
      await user.until(async (user) => (await volumes(user)).every(({ status }) => status?.phase === "Bound"));
    },
  },
  {
    ...usual,
    name: "scope-changes",
    doc: "A claim and its namespace say that the volume is kept, and take it back, and say it again.",
    async act(user) {
      await user.createClaim("data");
      await user.until(claimIsBound("data"));
      const say = (keep: string | null) => user.patchClaim("data", { metadata: { annotations: { [keepKey]: keep } } });
      const sayForAll = (keep: string | null) =>
        user.attempt(`annotates the namespace with ${keep}`, (client, name) =>
          client.patch(Namespace, undefined, name, "merge", { metadata: { annotations: { [keepKey]: keep } } }),
        );
      for (const keep of ["24h", null, "7d", "none"]) {
        await say(keep);
        await user.pause(5_000);
      }
      await sayForAll("24h");
      await user.pause(3_000);
      await say(null);
      await user.pause(5_000);
      if (user.random.below(2) === 0) await sayForAll(null);
    },
  },
  {
    ...usual,
    name: "namespace-replaced",
    doc:
      "A namespace is deleted with a volume that is offered there and one that is bound, " +
      "and another one takes its name.",
    waits: true,
    async act(user) {
      await keptClaim(user, "data", "24h");
      await keptClaim(user, "other", "24h");
      await deleteClaim(user, "data");
      await user.until(someIs("offered"));
      await user.pause(3_000);
      await user.deleteNamespace();
      await user.until(namespaceIsGone);
      await createNamespace(user);
      for (const name of ["data", "other"]) await user.createClaim(name);
      await user.pause(20_000);
    },
  },
  {
    ...usual,
    name: "namespace-comes-back",
    doc:
      "A namespace is deleted by accident, a person says that it may have its volumes again, " +
      "and it is created again.",
    waits: true,
    async act(user) {
      await keptClaim(user, "data", "24h");
      const former =
        (await user.list(Namespace)).find(({ metadata }) => metadata.name === user.namespace)?.metadata.uid ?? "";
      await user.deleteNamespace();
      await user.until(namespaceIsGone);
      await user.until(someIs("asks"));
      if (user.random.below(2) === 0) await annotateVolumes(user, { [offerKey]: "yes" });
      else await createNamespace(user, { [successorKey]: former });
      await user.until(someIs("offered"));
      await createNamespace(user);
      await user.createClaim("data", { annotations: { [keepKey]: "24h" } });
      await user.until(claimIsBound("data"));
    },
  },
  {
    ...usual,
    name: "times-moved",
    doc: "The time of a volume that is kept is moved on and back, and taken off.",
    waits: true,
    async act(user) {
      await keptClaim(user, "data", "24h");
      await deleteClaim(user, "data");
      await user.until(someIs("offered"));
      await annotateVolumes(user, { [reclaimAtKey]: "2099-01-01T00:00:00Z" });
      await user.pause(20_000);
      await annotateVolumes(user, { [reclaimAtKey]: null });
      await user.pause(20_000);
      await annotateVolumes(user, { [reclaimAtKey]: "2020-01-01T00:00:00Z" });
      await user.until(noneIsLeft);
    },
  },
  {
    ...usual,
    name: "claim-made-again",
    doc: "A claim is deleted and made again in the same breath, so that there may be two volumes of its name.",
    async act(user) {
      await keptClaim(user, "data", "24h");
      for (let round = 0; round < 2; round++) {
        await deleteClaim(user, "data");
        const storage = round === 0 ? "1Gi" : "2Gi";
        await user.attempt("creates claim data", (client, namespace) =>
          client.create(
            PersistentVolumeClaim,
            claim(
              { namespace, name: "data", annotations: { [keepKey]: "24h" } },
              { storageClassName: "standard", resources: { requests: { storage } } },
            ),
          ),
        );
        await user.until(claimIsBound("data"));
        await user.pause(6_000);
      }
      await deleteClaim(user, "data");
    },
  },
];
