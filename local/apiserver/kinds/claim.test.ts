import { describe, expect, test } from "vitest";
import { claim, claims, testServer } from "../fixtures/test-server.ts";

const classes = "/apis/storage.k8s.io/v1/storageclasses";

describe("the storage class", () => {
  const storageClass = (name: string, isDefault: boolean) => ({
    metadata: { name, annotations: { "storageclass.kubernetes.io/is-default-class": String(isDefault) } },
    provisioner: "x.dev/y",
  });
  async function classOf(spec: object) {
    const { ask, clock } = testServer();
    await ask("POST", classes, storageClass("old", true));
    await clock.advance(1_000);
    await ask("POST", classes, storageClass("new", true));
    await ask("POST", classes, storageClass("other", false));
    return (await ask("POST", claims, { ...claim("data"), spec: { ...claim("data").spec, ...spec } })).json.spec;
  }

  test("is the newest default one", async () => expect((await classOf({})).storageClassName).toBe("new"));
  test("stays what it is", async () => expect((await classOf({ storageClassName: "z" })).storageClassName).toBe("z"));
  test("stays none", async () => expect((await classOf({ storageClassName: "" })).storageClassName).toBe(""));
});

describe("what may change", () => {
  describe("the size", () => {
    async function bound(storageClass: object) {
      const { ask, merge } = testServer();
      await ask("POST", classes, { metadata: { name: "c" }, provisioner: "x.dev/y", ...storageClass });
      const spec = { ...claim("data").spec, storageClassName: "c" };
      await ask("POST", claims, { ...claim("data"), spec });
      const resize = async (storage: string) => {
        const { status, json } = await merge(`${claims}/data`, { spec: { resources: { requests: { storage } } } });
        return status === 200 ? status : json.message;
      };
      const bind = () => merge(`${claims}/data/status`, { status: { phase: "Bound", capacity: { storage: "1Gi" } } });
      return { bind, resize };
    }

    test("when it is bound and its class allows it, and never below what it has", async () => {
      const { bind, resize } = await bound({ allowVolumeExpansion: true });
      expect(await resize("2Gi")).toContain("spec is immutable after creation");
      await bind();
      expect([await resize("3Gi"), await resize("1025Mi")]).toEqual([200, 200]);
      expect(await resize("1023Mi")).toBe(
        'PersistentVolumeClaim "data" is invalid: spec.resources.requests.storage: Forbidden: ' +
          "field can not be less than status.capacity",
      );
    });

    test("not when its class does not", async () => {
      const { bind, resize } = await bound({});
      await bind();
      expect(await resize("2Gi")).toBe(
        'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the ' +
          "storageclass that provisions the pvc must support resize",
      );
    });
  });
});

test("a claim says how it is accessed and how much it wants; a number will do", async () => {
  const { ask } = testServer();
  const { json } = await ask("POST", claims, { metadata: { name: "data" }, spec: {} });
  expect(json.details.causes.map(({ field }: { field: string }) => field)).toEqual([
    "spec.accessModes",
    "spec.resources[storage]",
  ]);
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: 1024 } } };
  expect((await ask("POST", claims, { metadata: { name: "data" }, spec })).json.spec.resources.requests.storage).toBe(
    "1024",
  );
});
