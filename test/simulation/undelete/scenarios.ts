import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { Namespace, PersistentVolume } from "../../worlds/kinds.ts";
import { manifest } from "../../worlds/manifest.ts";
import type { Scenario } from "../scenario.ts";
import { claimIsBound, claimIsGone, type Stage } from "../stage.ts";
import { shipped } from "./settings.ts";
import { keepKey, noteOf, offerKey, reclaimAtKey, successorKey, type VolumeLike } from "./volumes.ts";

/** All volumes of the cluster: only those of scenarios are there. */
async function volumes(stage: Stage): Promise<readonly VolumeLike[]> {
  return (await stage.list(PersistentVolume)) as readonly VolumeLike[];
}

const someIs = (step: string) => async (stage: Stage) =>
  (await volumes(stage)).some((volume) => noteOf(volume)?.step === step);
const noneIsLeft = async (stage: Stage) => (await volumes(stage)).length === 0;

/** Creates a claim and waits until its volume is noted. */
async function keptClaim(stage: Stage, name: string, keep: string): Promise<void> {
  await stage.createClaim(name, { annotations: { [keepKey]: keep } });
  await stage.until(claimIsBound(name));
  await stage.until(someIs("retained"));
}

async function deleteClaim(stage: Stage, name: string): Promise<void> {
  await stage.deleteClaim(name);
  await stage.until(claimIsGone(name));
}

async function annotateVolumes(stage: Stage, annotations: Record<string, string | null>): Promise<void> {
  for (const { metadata } of await volumes(stage))
    await stage.attempt(`annotates volume ${metadata.name} with ${JSON.stringify(annotations)}`, (client) =>
      client.patch(PersistentVolume, undefined, metadata.name, "merge", { metadata: { annotations } }),
    );
}

const createNamespace = (stage: Stage, annotations: Record<string, string> = {}) =>
  stage.attempt("creates the namespace", (client, name) =>
    client.create(Namespace, manifest(Namespace, { name, annotations })),
  );

const namespaceIsGone = async (stage: Stage) =>
  !(await stage.list(Namespace)).some(({ metadata }) => metadata.name === stage.namespace);

const usual = { setting: shipped, controllers: ["namespace-controller", "persistentvolume-protection-controller"] };

/** What users do to volumes that outlive their claims. */
export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    name: "claim-comes-back",
    doc: "A claim is deleted and created again, twice, and another one beside it stays away.",
    async act(stage) {
      await keptClaim(stage, "data", "24h");
      await keptClaim(stage, "other", "24h");
      await stage.pause(2_000);
      for (let round = 0; round < 2; round++) {
        await deleteClaim(stage, "data");
        await stage.pause(4_000);
        await stage.createClaim("data", { annotations: { [keepKey]: "24h" } });
        await stage.until(claimIsBound("data"));
        await stage.pause(4_000);
      }
      await deleteClaim(stage, "other");
    },
  },
  {
    ...usual,
    name: "claim-stays-away",
    doc: "A claim is deleted, and its volume is handed back when its time has come.",
    waits: true,
    async act(stage) {
      await keptClaim(stage, "data", "90s");
      await deleteClaim(stage, "data");
      await stage.pause(10_000);
      await keptClaim(stage, "other", "30s");
      await deleteClaim(stage, "other");
      await stage.until(noneIsLeft);
    },
  },
  {
    ...usual,
    name: "claim-comes-back-late",
    doc: "A claim comes back just when its volume is due.",
    waits: true,
    async act(stage) {
      await keptClaim(stage, "data", "40s");
      await deleteClaim(stage, "data");
      await stage.until(someIs("offered"));
      await stage.pause(60_000);
      await stage.createClaim("data", { annotations: { [keepKey]: "24h" } });
      await stage.until(claimIsBound("data"));
    },
  },
  {
    ...usual,
    name: "scope-changes",
    doc: "A claim and its namespace say that the volume is kept, and take it back, and say it again.",
    async act(stage) {
      await stage.createClaim("data");
      await stage.until(claimIsBound("data"));
      const say = (keep: string | null) => stage.patchClaim("data", { metadata: { annotations: { [keepKey]: keep } } });
      const sayForAll = (keep: string | null) =>
        stage.attempt(`annotates the namespace with ${keep}`, (client, name) =>
          client.patch(Namespace, undefined, name, "merge", { metadata: { annotations: { [keepKey]: keep } } }),
        );
      for (const keep of ["24h", null, "7d", "none"]) {
        await say(keep);
        await stage.pause(5_000);
      }
      await sayForAll("24h");
      await stage.pause(3_000);
      await say(null);
      await stage.pause(5_000);
      if (stage.random.below(2) === 0) await sayForAll(null);
    },
  },
  {
    ...usual,
    name: "namespace-replaced",
    doc: "A namespace is deleted with a volume that is offered there and one that is bound, and another one takes its name.",
    waits: true,
    async act(stage) {
      await keptClaim(stage, "data", "24h");
      await keptClaim(stage, "other", "24h");
      await deleteClaim(stage, "data");
      await stage.until(someIs("offered"));
      await stage.pause(3_000);
      await stage.deleteNamespace();
      await stage.until(namespaceIsGone);
      await createNamespace(stage);
      for (const name of ["data", "other"]) await stage.createClaim(name);
      await stage.pause(20_000);
    },
  },
  {
    ...usual,
    name: "namespace-comes-back",
    doc: "A namespace is deleted by accident, somebody says that it may have its volumes again, and it is created anew.",
    waits: true,
    async act(stage) {
      await keptClaim(stage, "data", "24h");
      const former =
        (await stage.list(Namespace)).find(({ metadata }) => metadata.name === stage.namespace)?.metadata.uid ?? "";
      await stage.deleteNamespace();
      await stage.until(namespaceIsGone);
      await stage.until(someIs("asks"));
      if (stage.random.below(2) === 0) await annotateVolumes(stage, { [offerKey]: "yes" });
      else await createNamespace(stage, { [successorKey]: former });
      await stage.until(someIs("offered"));
      await createNamespace(stage);
      await stage.createClaim("data", { annotations: { [keepKey]: "24h" } });
      await stage.until(claimIsBound("data"));
    },
  },
  {
    ...usual,
    name: "times-moved",
    doc: "The time of a volume that is kept is moved on and back, and taken off.",
    waits: true,
    async act(stage) {
      await keptClaim(stage, "data", "24h");
      await deleteClaim(stage, "data");
      await stage.until(someIs("offered"));
      await annotateVolumes(stage, { [reclaimAtKey]: "2099-01-01T00:00:00Z" });
      await stage.pause(20_000);
      await annotateVolumes(stage, { [reclaimAtKey]: null });
      await stage.pause(20_000);
      await annotateVolumes(stage, { [reclaimAtKey]: "2020-01-01T00:00:00Z" });
      await stage.until(noneIsLeft);
    },
  },
  {
    ...usual,
    name: "claim-made-anew",
    doc: "A claim is deleted and made anew in the same breath, so that there may be two volumes of its name.",
    async act(stage) {
      await keptClaim(stage, "data", "24h");
      for (let round = 0; round < 2; round++) {
        await deleteClaim(stage, "data");
        const storage = round === 0 ? "1Gi" : "2Gi";
        await stage.attempt("creates claim data", (client, namespace) =>
          client.create(
            PersistentVolumeClaim,
            manifest(
              PersistentVolumeClaim,
              { namespace, name: "data", annotations: { [keepKey]: "24h" } },
              {
                spec: {
                  accessModes: ["ReadWriteOnce"],
                  storageClassName: "standard",
                  resources: { requests: { storage } },
                },
              },
            ),
          ),
        );
        await stage.until(claimIsBound("data"));
        await stage.pause(6_000);
      }
      await deleteClaim(stage, "data");
    },
  },
];
