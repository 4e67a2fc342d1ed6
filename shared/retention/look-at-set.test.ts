import { describe, expect, test } from "vitest";
import type { Client, ListOptions } from "../kubernetes/client.ts";
import type { Kind } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { lookAtSet, readSet } from "./look-at-set.ts";
import { policyKey } from "./policy.ts";

const object = (kind: string, name: string, more: object = {}): KubernetesObject => ({
  apiVersion: kind === "StatefulSet" ? "apps/v1" : "v1",
  kind,
  metadata: { name, uid: `uid of ${name}`, resourceVersion: "1", namespace: "shop" },
  ...more,
});
const set = (name: string, templates: string[], replicas = 1) =>
  object("StatefulSet", name, {
    spec: { replicas, volumeClaimTemplates: templates.map((name) => ({ metadata: { name } })) },
  });
const claim = (name: string) => object("PersistentVolumeClaim", name);
const pod = (name: string) => object("Pod", name);

/** A cluster of these objects that writes down what it is asked; `then` may change it after a call. */
function cluster(objects: KubernetesObject[], then: (call: string, calls: readonly string[]) => void = () => {}) {
  const calls: string[] = [];
  const asked = (call: string) => {
    calls.push(call);
    then(call, calls);
  };
  const client = {
    get: async ({ kind }: Kind, _: string | undefined, name: string) => {
      const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
      asked(`get ${kind} ${name}`);
      return found;
    },
    async *list({ kind }: Kind, { namespace }: ListOptions = {}) {
      const found = objects.filter((one) => one.kind === kind && one.metadata.namespace === namespace);
      asked(`list ${kind}`);
      yield* found;
    },
  } as unknown as Client;
  return { client, calls, objects };
}
const everything = () => true;
const home = object("Namespace", "shop");

describe("what is read", () => {
  test("of a set that concerns nobody: the set and its namespace", async () => {
    const { client, calls } = cluster([set("web", ["data"]), home, claim("data-web-0")]);
    const facts = await lookAtSet(client, "shop", "web", () => false);
    expect(facts).toMatchObject({ policy: undefined, claims: [] });
    expect(calls).toEqual(["get StatefulSet web", "get Namespace shop"]);
  });

  test("the namespace and the set once more, after everything else", async () => {
    const { client, calls } = cluster([set("web", ["data"]), home, claim("data-web-0"), pod("web-0")]);
    await lookAtSet(client, "shop", "web", everything);
    expect(calls.slice(-2)).toEqual(["get Namespace shop", "get StatefulSet web"]);
    expect(calls.indexOf("list PersistentVolumeClaim")).toBeLessThan(calls.indexOf("get Pod web-0"));
  });

  test("of a set none of whose claims matters: them besides, and no more", async () => {
    const { client, calls } = cluster([set("web", ["data"]), home, claim("data-web-0"), claim("logs")]);
    const seen: string[] = [];
    const matters = ({ metadata }: KubernetesObject) => !seen.push(metadata.name);
    expect(await lookAtSet(client, "shop", "web", everything, matters)).toMatchObject({ claims: [] });
    expect(seen).toEqual(["data-web-0"]);
    expect(calls).toEqual(["get StatefulSet web", "get Namespace shop", "list PersistentVolumeClaim"]);
  });

  test("of all claims, as soon as one matters", async () => {
    const objects = [set("web", ["data"], 2), home, claim("data-web-0"), claim("data-web-1")];
    const isSecond = ({ metadata }: KubernetesObject) => metadata.name === "data-web-1";
    const facts = await lookAtSet(cluster(objects).client, "shop", "web", everything, isSecond);
    expect(facts?.claims.map(({ claim }) => claim.metadata.name)).toEqual(["data-web-0", "data-web-1"]);
  });

  test("of a set without claims: the set once more, because a verdict may rest on there being none", async () => {
    const { client, calls } = cluster([set("web", ["data"]), home]);
    await lookAtSet(client, "shop", "web", everything, () => false);
    expect(calls.slice(-2)).toEqual(["get Namespace shop", "get StatefulSet web"]);
  });

  test("many pods by one list, few one by one", async () => {
    const ordinals = Array.from({ length: 11 }, (_, ordinal) => ordinal);
    const many = cluster([
      set("web", ["data"]),
      home,
      ...ordinals.map((ordinal) => claim(`data-web-${ordinal}`)),
      pod("web-7"),
    ]);
    const facts = await lookAtSet(many.client, "shop", "web", everything);
    expect(many.calls.filter((call) => call.includes("Pod"))).toEqual(["list Pod"]);
    expect(facts?.claims.filter(({ pod }) => pod).map(({ ordinal }) => ordinal)).toEqual([7]);
  });

  test("nothing of a set that is gone", async () => {
    expect(await lookAtSet(cluster([home]).client, "shop", "web", everything)).toBeUndefined();
  });
});

test("claims of the set's templates are told with ordinal, range and pod; others are not", async () => {
  const claims = ["data-web-0", "data-web-5", "logs-web-1", "data-other-0", "other"].map(claim);
  const { client } = cluster([set("web", ["data", "logs"], 2), home, ...claims, pod("web-0"), pod("other-0")]);
  const facts = await lookAtSet(client, "shop", "web", everything);
  const seen = facts?.claims.map(({ claim, template, ordinal, inRange, pod }) => [
    claim.metadata.name,
    template,
    ordinal,
    inRange,
    pod?.metadata.name,
  ]);
  expect(seen).toEqual([
    ["data-web-0", "data", 0, true, "web-0"],
    ["data-web-5", "data", 5, false, undefined],
    ["logs-web-1", "logs", 1, true, undefined],
  ]);
});

test("a claim that has lost the labels of the set's own is told apart, because its references still work", async () => {
  const app = { app: "web" };
  const volumeClaimTemplates = [{ metadata: { name: "data", labels: app } }];
  const labelled = object("StatefulSet", "web", { spec: { selector: { matchLabels: app }, volumeClaimTemplates } });
  const { client } = cluster([labelled, home, claim("data-web-0")]);
  expect((await lookAtSet(client, "shop", "web", everything))?.claims).toMatchObject([
    { ordinal: 0, relabelled: true },
  ]);
});

test("a claim whose name another set yields as well is contested, and only that", async () => {
  const { client } = cluster([set("c", ["a-b", "logs"]), set("b-c", ["a"]), home, claim("a-b-c-0"), claim("logs-c-0")]);
  const facts = await lookAtSet(client, "shop", "c", everything);
  expect(facts?.claims.map(({ rival }) => rival)).toEqual(["b-c", undefined]);
  const other = await lookAtSet(client, "shop", "b-c", everything);
  expect(other?.claims.map(({ rival }) => rival)).toEqual(["c"]);
});

describe("what happens while it is read", () => {
  const duringTheList = (change: (objects: KubernetesObject[]) => void) => {
    const objects = [set("web", ["data"], 1), home, claim("data-web-1")];
    return cluster(objects, (call) => call === "list PersistentVolumeClaim" && change(objects)).client;
  };
  test("a scale-up counts", async () => {
    const client = duringTheList((objects) => objects.splice(0, 1, set("web", ["data"], 2)));
    expect((await lookAtSet(client, "shop", "web", everything))?.claims).toMatchObject([{ inRange: true }]);
  });
  test("another policy counts", async () => {
    const client = duringTheList((objects) => {
      home.metadata.annotations = { [policyKey]: "Retain" };
      objects.splice(1, 1, home);
    });
    expect((await lookAtSet(client, "shop", "web", everything))?.policy).toMatchObject({ name: "Retain" });
    delete home.metadata.annotations;
  });
  const named = (object: KubernetesObject, policy?: string): KubernetesObject => ({
    ...object,
    metadata: { ...object.metadata, annotations: policy === undefined ? {} : { [policyKey]: policy } },
  });
  /** Somebody puts two policies right, one after the other, right after the n-th time that a call was answered. */
  const turning = (call: string, nth: number, before: KubernetesObject[], after: KubernetesObject[]) => {
    const claims = [claim("data-web-1")];
    const objects = [...before, ...claims];
    const { client } = cluster(objects, (made, calls) => {
      if (made === call && calls.filter((one) => one === call).length === nth)
        objects.splice(0, objects.length, ...after, ...claims);
    });
    return client;
  };
  const scaled = "DeleteOnScaledownOnly";
  const web = set("web", ["data"]);
  // What keeps the claims of the set is the one thing before and the other one after; nothing between does not.
  const [kept, stillKept] = [
    [named(web, "Retain"), named(home, scaled)],
    [named(web), named(home, "Retain")],
  ];
  const calls = [`get StatefulSet web`, `get Namespace shop`] as const;
  test.each(
    calls.flatMap((call) =>
      [1, 2].flatMap((nth) => [[call, nth, kept, stillKept] as const, [call, nth, stillKept, kept] as const]),
    ),
  )("no policy is put together from two times: after %s, %i", async (call, nth, before, after) => {
    const facts = await lookAtSet(turning(call, nth, before, after), "shop", "web", everything);
    expect(facts?.policy?.name).toBe("Retain");
  });
  test.each(calls)("what a single look sees of a set is never younger than its namespace: after %s", async (call) => {
    const [set, policy] = await readSet(turning(call, 1, stillKept, kept), "shop", "web");
    expect([set?.metadata.annotations, policy?.name]).toEqual(
      call === "get Namespace shop" ? [{}, "Retain"] : [{}, scaled],
    );
  });

  const wanting = (replicas: number, generation: number): KubernetesObject => {
    const object = set("web", ["data"], replicas);
    return { ...object, metadata: { ...object.metadata, generation } };
  };
  test("whoever has the namespace keep claims, and then scales down, is not seen to have scaled down before", async () => {
    const before = [wanting(2, 1), named(home, scaled)];
    const after = [wanting(1, 2), named(home, "Retain")];
    const facts = await lookAtSet(turning("get Namespace shop", 2, before, after), "shop", "web", everything);
    expect(facts).toMatchObject({ policy: { name: "Retain" }, claims: [{ inRange: false }] });
  });
  test("a set that is another one each time is left for later", async () => {
    const objects = [wanting(1, 1), home, claim("data-web-1")];
    let generation = 1;
    const { client, calls } = cluster(objects, (call) => {
      if (call === "get StatefulSet web") objects.splice(0, 1, wanting(1, ++generation));
    });
    await expect(lookAtSet(client, "shop", "web", everything)).rejects.toMatchObject({
      status: 409,
      reason: "Conflict",
    });
    expect(calls.length).toBeLessThan(20);
  });

  test("another set of the name is another set", async () => {
    const client = duringTheList((objects) => {
      const other = set("web", ["data"]);
      objects.splice(0, 1, { ...other, metadata: { ...other.metadata, uid: "another" } });
    });
    expect(await lookAtSet(client, "shop", "web", everything)).toBeUndefined();
  });
});
