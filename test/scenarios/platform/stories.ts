import { expect } from "vitest";
import { ConfigMap, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { policyKey } from "../../../shared/retention/policy.ts";
import { answer } from "../../worlds/answer.ts";
import { statefulSet } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import { deleteClaim, noticesOn, protectedClaim, removePod, runningPod } from "../pvc-protection/words.ts";
import type { Story } from "../story.ts";

const installedIn = "holdfast";
const table = "holdfast-sweep";

/** From now on the API server refuses a rule's reads, in other words each time, which is final: its events become dead letters. */
function refuse(world: World, rule: string): void {
  let times = 0;
  world.intercept(async (call, send) => {
    if (call.rule !== rule || call.request.method !== "GET") return send();
    return answer(403, `Refused${++times}`);
  });
}

const deadLetters = async (world: World, kind: string, name: string) =>
  (await noticesOn(world, kind, name)).filter(({ reason }) => reason === "EventDeadLettered");

async function setTable({ admin }: World, text: string): Promise<void> {
  await admin.patch(ConfigMap, installedIn, table, "merge", { data: { "table.yaml": text } });
}

async function tableWarnings({ admin }: World): Promise<readonly string[]> {
  const kind = { apiVersion: "events.k8s.io/v1", kind: "Event", plural: "events", namespaced: true };
  const events = await Array.fromAsync(
    admin.list<KubernetesObject & { reason: string; regarding: { name: string } }>(kind, { namespace: installedIn }),
  );
  return events.filter(({ regarding }) => regarding?.name === table).map(({ reason }) => reason);
}

/** What becomes of events that no function takes, and of a table that is wrong. */
export const stories: readonly Story[] = [
  {
    title: "an event that a function finally refuses is shown on its claim, once, with what it said last",
    within: true,
    alone: true,
    async tell(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      refuse(world, "pvc-protection/release");
      await deleteClaim(world, "data");
      const [first] = await world.eventually("the claim shows a dead letter", async () => {
        const letters = await deadLetters(world, "PersistentVolumeClaim", "data");
        return letters.length > 0 && letters;
      });
      expect(first).toMatchObject({ type: "Warning" });
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step: "1" } } });
      await world.eventually("it shows the next one in its place", async () => {
        const letters = await deadLetters(world, "PersistentVolumeClaim", "data");
        return letters.length === 1 && letters[0]?.note !== first?.note;
      });
    },
  },
  {
    title: "an event of a set that a function finally refuses is shown on the set",
    within: true,
    alone: true,
    async tell(world) {
      refuse(world, "pvc-retention/project");
      const annotations = { [policyKey]: "Retain" };
      await world.admin.create(StatefulSet, statefulSet({ name: "web", namespace: world.namespace, annotations }));
      await world.eventually("the set shows a dead letter", async () => {
        const [letter] = await deadLetters(world, "StatefulSet", "web");
        return letter?.type === "Warning";
      });
    },
  },
  {
    title: "an event about a pod that is gone is kept all the same",
    within: true,
    alone: true,
    async tell(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      refuse(world, "pvc-protection/release");
      await removePod(world, "web");
      await world.eventually("the letter is kept", async () => {
        const ring = await admin.get<KubernetesObject & { data?: Record<string, string> }>(
          ConfigMap,
          installedIn,
          "holdfast-dead-letters",
        );
        const kept = Object.values(ring?.data ?? {}).map((text) => JSON.parse(text).attributes);
        return kept.some(({ kind, name, namespace: of }) => kind === Pod.kind && name === "web" && of === namespace);
      });
    },
  },
  {
    title:
      "a wrong table is told of on its ConfigMap, told anew when it is wrong otherwise, and no more when it is right",
    within: true,
    alone: true,
    async tell(world) {
      const map = await world.admin.get<KubernetesObject & { data: Record<string, string> }>(
        ConfigMap,
        installedIn,
        table,
      );
      const right = map?.data["table.yaml"] ?? "";
      try {
        for (const wrong of ["- rule: broken\n", "- rule: broken\n- rule: broken, too\n"]) {
          await setTable(world, wrong);
          await world.sweep();
          expect(await tableWarnings(world)).toEqual(["TableRefused"]);
        }
      } finally {
        await setTable(world, right);
      }
      await world.sweep();
      expect(await tableWarnings(world)).toEqual([]);
    },
  },
];
