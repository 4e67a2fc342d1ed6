import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { openWorld, type World } from "../testing/world.ts";

const ConfigMap = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true } satisfies Kind;
const Secret = { apiVersion: "v1", kind: "Secret", plural: "secrets", namespaced: true } satisfies Kind;

describe("the garbage collector", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ controllers: ["garbage-collector-controller"] });
  });
  afterAll(() => world.close());

  const create = (kind: Kind, name: string, ownerReferences: object[] = [], finalizers: string[] = []) =>
    world.create(kind, name, { metadata: { ownerReferences, finalizers } });
  const get = (kind: Kind, name: string) => world.get(kind, name);
  const gone = (kind: Kind, name: string) => world.gone(kind, name);
  const drop = (kind: Kind, name: string, policy: "Background" | "Foreground" | "Orphan" = "Background") =>
    world.delete(kind, name, { propagationPolicy: policy });
  const to = (owner: KubernetesObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    ...more,
  });
  const ownersOf = async (name: string) =>
    (await get(Secret, name))?.metadata.ownerReferences?.map((reference) => reference.name) ?? [];
  const release = (kind: Kind, name: string) => world.patch(kind, name, { metadata: { finalizers: null } });

  it("deletes a dependent once its owner is gone", async () => {
    const owner = await create(ConfigMap, "one");
    await create(Secret, "one", [to(owner)]);
    await world.rest();
    expect(await get(Secret, "one")).toBeDefined();
    await drop(ConfigMap, "one");
    await gone(Secret, "one");
  });

  it("keeps a dependent as long as one owner is there, and takes the dangling reference off", async () => {
    const first = await create(ConfigMap, "two-a");
    const second = await create(ConfigMap, "two-b");
    await create(Secret, "two", [to(first), to(second)]);
    await drop(ConfigMap, "two-a");
    await world.until("one owner is left", async () => (await ownersOf("two")).join() === "two-b");
    await drop(ConfigMap, "two-b");
    await gone(Secret, "two");
  });

  it("deletes an object whose owner never existed", async () => {
    await create(Secret, "absent", [
      { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "3e5f8e2c-9b6f-4f3a-9d0a-0c8f5f6a7b11" },
    ]);
    await gone(Secret, "absent");
  });

  it("does not take another object of the same name for the owner", async () => {
    const owner = await create(ConfigMap, "same");
    await create(Secret, "same", [to(owner, { uid: "3e5f8e2c-9b6f-4f3a-9d0a-0c8f5f6a7b12" })]);
    await gone(Secret, "same");
    expect(await get(ConfigMap, "same")).toBeDefined();
  });

  it("does not take an owner of that uid for the owner when the name differs", async () => {
    const owner = await create(ConfigMap, "renamed");
    await create(Secret, "renamed", [to(owner, { name: "another" })]);
    await gone(Secret, "renamed");
  });

  it("leaves alone an object whose owner is of a kind that is not served", async () => {
    await create(Secret, "unknown", [
      { apiVersion: "nowhere.example/v1", kind: "Thing", name: "x", uid: "3e5f8e2c-9b6f-4f3a-9d0a-0c8f5f6a7b13" },
    ]);
    await world.rest();
    expect(await get(Secret, "unknown")).toBeDefined();
  });

  it("orphans: the dependent stays and forgets the owner", async () => {
    const owner = await create(ConfigMap, "orphaned");
    const other = await create(ConfigMap, "other");
    await create(Secret, "orphaned", [to(owner), to(other)]);
    await create(Secret, "alone", [to(owner)]);
    await world.rest();
    await drop(ConfigMap, "orphaned", "Orphan");
    await gone(ConfigMap, "orphaned");
    expect(await ownersOf("orphaned")).toEqual(["other"]);
    expect(await ownersOf("alone")).toEqual([]);
  });

  it("foreground: the owner waits for the dependents that block it, and for no others", async () => {
    const owner = await create(ConfigMap, "front");
    await create(Secret, "blocker", [to(owner, { blockOwnerDeletion: true })], ["test.holdfast.dev/hold"]);
    await create(Secret, "bystander", [to(owner)], ["test.holdfast.dev/hold"]);
    await world.rest();
    await drop(ConfigMap, "front", "Foreground");
    // Blocking or not, both are deleted at once.
    for (const name of ["blocker", "bystander"]) {
      await world.until(`${name} is being deleted`, async () => (await get(Secret, name))?.metadata.deletionTimestamp);
    }
    await world.rest();
    expect((await get(ConfigMap, "front"))?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await release(Secret, "blocker");
    await gone(ConfigMap, "front");
    expect(await get(Secret, "bystander")).toBeDefined();
    await release(Secret, "bystander");
  });

  it("foreground goes down the generations, the youngest first", async () => {
    const grandparent = await create(ConfigMap, "grandparent");
    const parent = await create(ConfigMap, "parent", [to(grandparent, { blockOwnerDeletion: true })]);
    await create(Secret, "child", [to(parent, { blockOwnerDeletion: true })], ["test.holdfast.dev/hold"]);
    await world.rest();
    await drop(ConfigMap, "grandparent", "Foreground");
    await world.until(
      "the child is being deleted",
      async () => (await get(Secret, "child"))?.metadata.deletionTimestamp,
    );
    await world.rest();
    expect((await get(ConfigMap, "parent"))?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await release(Secret, "child");
    await gone(ConfigMap, "grandparent");
    expect(await get(ConfigMap, "parent")).toBeUndefined();
  });

  it("foreground: a dependent with another owner stays and no longer blocks", async () => {
    const owner = await create(ConfigMap, "leaving");
    const keeper = await create(ConfigMap, "keeper");
    await create(Secret, "shared", [to(owner, { blockOwnerDeletion: true }), to(keeper)]);
    await world.rest();
    await drop(ConfigMap, "leaving", "Foreground");
    await gone(ConfigMap, "leaving");
    expect(await ownersOf("shared")).toEqual(["keeper"]);
  });

  it("foreground: owners in a circle do not wait for each other for ever", async () => {
    const first = await create(ConfigMap, "circle-a");
    const second = await create(ConfigMap, "circle-b", [to(first, { blockOwnerDeletion: true })]);
    const toSecond = to(second, { blockOwnerDeletion: true });
    await world.patch(ConfigMap, "circle-a", { metadata: { ownerReferences: [toSecond] } });
    await world.rest();
    await drop(ConfigMap, "circle-a", "Foreground");
    await gone(ConfigMap, "circle-a");
    await gone(ConfigMap, "circle-b");
  });

  it("a reference removed in time saves the object", async () => {
    const owner = await create(ConfigMap, "saved", [], ["test.holdfast.dev/hold"]);
    await create(Secret, "saved", [to(owner)]);
    await drop(ConfigMap, "saved");
    await world.patch(Secret, "saved", { metadata: { ownerReferences: null } });
    await release(ConfigMap, "saved");
    await gone(ConfigMap, "saved");
    await world.rest();
    expect(await get(Secret, "saved")).toBeDefined();
  });

  it("follows kinds that are defined later", async () => {
    const plural = `things${world.namespace.slice(2)}`;
    const group = "test.holdfast.dev";
    const Thing = { apiVersion: `${group}/v1`, kind: `Thing${world.namespace.slice(2)}`, plural, namespaced: true };
    const Definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      plural: "customresourcedefinitions",
      namespaced: false,
    };
    const schema = { openAPIV3Schema: { type: "object" } };
    const names = { plural, singular: plural.slice(0, -1), kind: Thing.kind, listKind: `${Thing.kind}List` };
    const versions = [{ name: "v1", served: true, storage: true, schema }];
    await world.create(Definition, `${plural}.${group}`, { spec: { group, scope: "Namespaced", names, versions } });
    await world.until("the kind is served", () =>
      create(Thing, "first").then(
        () => true,
        () => false,
      ),
    );
    const thing = await get(Thing, "first");
    await create(Secret, "of-thing", [to(thing as KubernetesObject)]);
    await world.rest();
    expect(await get(Secret, "of-thing")).toBeDefined();
    await drop(Thing, "first");
    await gone(Secret, "of-thing");
    await world.delete(Definition, `${plural}.${group}`);
  });
});
