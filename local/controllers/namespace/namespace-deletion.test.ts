import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Namespace, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { ServiceAccount } from "../objects/kinds.ts";
import { createClaim, createPod, openWorld, type World } from "../testing/world.ts";

const ConfigMap = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };

describe("namespace deletion", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({
      nodes: ["one"],
      controllers: [
        "kubelet",
        "namespace-controller",
        "persistentvolumeclaim-protection-controller",
        "serviceaccount-controller",
      ],
    });
  });
  afterAll(() => world.close());

  /** A world's helpers, in a namespace of this test's own. */
  async function within(suffix: string): Promise<World> {
    const namespace = `${world.namespace}-${suffix}`;
    await world.create(Namespace, namespace);
    const { client } = world;
    return {
      ...world,
      namespace,
      create: (kind, name, written = {}) =>
        client.create(kind, {
          ...written,
          apiVersion: kind.apiVersion,
          kind: kind.kind,
          metadata: { ...written.metadata, name, namespace },
        } as never),
      get: (kind, name) => client.get(kind, namespace, name),
      patch: (kind, name, patch) => client.patch(kind, namespace, name, "merge", patch),
      gone: (kind, name) => world.until(`${name} is gone`, async () => !(await client.get(kind, namespace, name))),
    };
  }
  const remove = ({ namespace }: World) => world.delete(Namespace, namespace);

  it("gives a namespace its default service account, again and again", async () => {
    const inner = await within("accounts");
    const account = () => inner.get(ServiceAccount, "default");
    await world.until("there is a service account", account);
    const { uid } = (await account())?.metadata ?? {};
    await world.client.delete(ServiceAccount, inner.namespace, "default");
    await world.until("there is another", async () => {
      const now = await account();
      return now && now.metadata.uid !== uid;
    });
  });

  it("deletes everything in it, and then itself", async () => {
    const inner = await within("simple");
    await inner.create(ConfigMap, "settings");
    await createClaim(inner, "data");
    await remove(inner);
    await world.gone(Namespace, inner.namespace);
    expect(await inner.get(ConfigMap, "settings")).toBeUndefined();
    expect(await inner.get(PersistentVolumeClaim, "data")).toBeUndefined();
  });

  it("deletes the pods first, and touches nothing else until they are gone", async () => {
    const inner = await within("ordered");
    await createClaim(inner, "data");
    await inner.create(ConfigMap, "settings");
    const nodeName = `${world.namespace}-one`;
    await createPod(inner, "user", ["data"], { nodeName }, { finalizers: ["test.holdfast.dev/hold"] });
    await remove(inner);
    await world.until(
      "the pod is being deleted",
      async () => (await inner.get(Pod, "user"))?.metadata.deletionTimestamp,
    );
    await world.rest();
    expect((await inner.get(PersistentVolumeClaim, "data"))?.metadata.deletionTimestamp).toBeUndefined();
    expect(await inner.get(ConfigMap, "settings")).toBeDefined();
    await inner.patch(Pod, "user", { metadata: { finalizers: null } });
    await world.gone(Namespace, inner.namespace);
  });

  it("waits for what finalizers keep", async () => {
    const inner = await within("held");
    await createClaim(inner, "data", {}, { finalizers: ["test.holdfast.dev/hold"] });
    await remove(inner);
    await world.until("only our finalizer holds the claim", async () => {
      return (await inner.get(PersistentVolumeClaim, "data"))?.metadata.finalizers?.length === 1;
    });
    await world.rest();
    expect(await world.get(Namespace, inner.namespace)).toMatchObject({ status: { phase: "Terminating" } });
    await inner.patch(PersistentVolumeClaim, "data", { metadata: { finalizers: null } });
    await world.gone(Namespace, inner.namespace);
  });
});
