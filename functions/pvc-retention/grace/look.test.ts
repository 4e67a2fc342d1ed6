import { describe, expect, test } from "vitest";
import type { Client, ListOptions } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { nextProgress, progressKey } from "../../../shared/progress.ts";
import { type Cause, markingRule } from "../../../shared/retention/mark.ts";
import { claimOf, noon, podOf, setOf, uidOfSet } from "../../../shared/retention/testing/objects.ts";
import { deleteAtKey } from "../../../shared/retention/traces.ts";
import { lookAtClaim } from "./look.ts";

const policy = "DeleteOnScaledownAndStatefulSetDeletion";

function marked(cause: Cause = "scaled-down", resourceVersion = "9"): KubernetesObject {
  const details = { set: "web", setUid: uidOfSet, cause, policy };
  const text = nextProgress(claimOf(1), markingRule, { name: "marked", details }, "It is.", noon, noon) ?? "";
  const annotations = { [progressKey(markingRule)]: text, [deleteAtKey]: "2026-03-01T12:00:00Z" };
  return claimOf(1, { annotations, resourceVersion });
}
const using = (claimName: string, name = "backup"): KubernetesObject => ({
  ...podOf(0, { name }),
  spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] },
});
/** A cluster of these objects that writes down what it is asked; `then` may change it after a call. */
function cluster(objects: KubernetesObject[], then: (call: string) => void = () => {}) {
  const calls: string[] = [];
  const asked = (call: string) => {
    calls.push(call);
    then(call);
  };
  const client = {
    get: async ({ kind }: Kind, _: string | undefined, name: string) => {
      const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
      asked(`get ${kind} ${name}`);
      return found;
    },
    async *list({ kind }: Kind, { namespace, metadataOnly }: ListOptions = {}) {
      const found = objects.filter((one) => one.kind === kind && one.metadata.namespace === namespace);
      asked(`list ${kind}`);
      // Metadata alone says neither what a pod uses nor what a set's templates are.
      yield* metadataOnly ? found.map(({ spec: _, ...rest }) => rest) : found;
    },
  } as unknown as Client;
  return { client, calls };
}

describe("a marked claim is looked at", () => {
  test("with the pod that names it, whosever it is; and not with one that names another", async () => {
    const { client, calls } = cluster([marked(), setOf({ policy }), using("data-web-2", "other"), using("data-web-1")]);
    expect(await lookAtClaim(client, "shop", "data-web-1")).toMatchObject({ user: "backup" });
    expect(calls.indexOf("list Pod")).toBeGreaterThan(calls.indexOf("get PersistentVolumeClaim data-web-1"));
    expect(calls.lastIndexOf("get StatefulSet web")).toBeGreaterThan(calls.indexOf("list Pod"));
  });

  test("without reading pods while nothing would be deleted anyway", async () => {
    const { client, calls } = cluster([marked("set-deleting"), setOf({ policy })]);
    expect(await lookAtClaim(client, "shop", "data-web-1")).toMatchObject({ user: undefined });
    expect(calls).not.toContain("list Pod");
  });

  test("also when its set has lost the policy, which is what saves it", async () => {
    const looked = await lookAtClaim(cluster([marked(), setOf()]).client, "shop", "data-web-1");
    expect(looked?.of).toMatchObject({ policy: undefined, claims: [{ ordinal: 1 }] });
  });

  test("with the sets that would take it for theirs, once its own is gone", async () => {
    const named = (name: string, template: string) =>
      setOf({ name, uid: `uid of ${name}` }, { volumeClaimTemplates: [{ metadata: { name: template } }] });
    const marking = { ...marked("set-deleted"), metadata: { ...marked("set-deleted").metadata, name: "data-b-web-1" } };
    const sets = [named("b-web", "data"), named("web", "data-b"), named("b-web-1", "data"), named("other", "data")];
    // Its own set, of which the mark tells, is there: nobody else is asked for.
    const own = await lookAtClaim(cluster([marking, ...sets]).client, "shop", "data-b-web-1");
    expect([own?.of?.set.metadata.name, own?.heirs]).toEqual(["web", []]);
    const gone = sets.filter(({ metadata }) => metadata.name !== "web");
    const looked = await lookAtClaim(cluster([marking, ...gone]).client, "shop", "data-b-web-1");
    expect([looked?.of, looked?.heirs.map(({ metadata }) => metadata.name)]).toEqual([undefined, ["b-web"]]);
    // Its pods would use the claim by its name, whatever labels their set asks for.
    const app = { app: "b-web" };
    const volumeClaimTemplates = [{ metadata: { name: "data", labels: app } }];
    const labelled = setOf({ name: "b-web" }, { selector: { matchLabels: app }, volumeClaimTemplates });
    expect((await lookAtClaim(cluster([marking, labelled]).client, "shop", "data-b-web-1"))?.heirs.length).toBe(1);
  });

  test("again when it has changed meanwhile, three times at most", async () => {
    const versions = (last: number) => {
      const objects: KubernetesObject[] = [marked(), setOf({ policy })];
      let version = 9;
      const { client, calls } = cluster(objects, (call) => {
        if (call.startsWith("get PersistentVolumeClaim") && version < last)
          objects[0] = marked("scaled-down", `${++version}`);
      });
      return { looked: lookAtClaim(client, "shop", "data-web-1"), calls };
    };
    const once = versions(10);
    expect((await once.looked)?.claim.metadata.resourceVersion).toBe("10");
    const often = versions(99);
    await often.looked;
    expect(often.calls.filter((call) => call.startsWith("get PersistentVolumeClaim")).length).toBe(3);
  });

  test("not at all without a mark of ours", async () => {
    const { client, calls } = cluster([claimOf(1, { annotations: { [deleteAtKey]: "2026-01-01T00:00:00Z" } })]);
    expect(await lookAtClaim(client, "shop", "data-web-1")).toBeUndefined();
    expect(calls).toEqual(["get PersistentVolumeClaim data-web-1"]);
  });
});
