import { describe, expect, test } from "vitest";
import { claim, claims, testServer } from "../fixtures/test-server.ts";

const classes = "/apis/storage.k8s.io/v1/storageclasses";
const volumes = "/api/v1/persistentvolumes";

test("a new claim is pending, protected, and has no generation", async () => {
  const { ask } = testServer();
  const { json } = await ask("POST", claims, { ...claim("data"), status: { phase: "Bound" } });
  expect([json.spec.volumeMode, json.status, json.metadata.finalizers, json.metadata.generation]).toEqual([
    "Filesystem",
    { phase: "Pending" },
    ["kubernetes.io/pvc-protection"],
    undefined,
  ]);
});

test("protection of objects in use can be switched off", async () => {
  const { ask } = testServer({ objectInUseProtection: false });
  expect((await ask("POST", claims, claim("data"))).json.metadata.finalizers).toBeUndefined();
});

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
  test("the volume, once", async () => {
    const { ask, merge } = testServer();
    await ask("POST", claims, claim("data"));
    expect((await merge(`${claims}/data`, { spec: { volumeName: "pv" } })).status).toBe(200);
    expect((await merge(`${claims}/data`, { spec: { volumeName: "other" } })).json.details.causes[0]).toEqual({
      reason: "FieldValueForbidden",
      message:
        "Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName " +
        "for bound claims",
      field: "spec",
    });
  });

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

test("a volume remembers when its phase changed", async () => {
  const { ask, clock, merge } = testServer();
  const spec = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } };
  const made = await ask("POST", volumes, { metadata: { name: "pv" }, spec });
  expect(made.json.status).toEqual({ phase: "Pending", lastPhaseTransitionTime: "2026-01-01T00:00:00Z" });
  await clock.advance(60_000);
  const phase = async (name: string) =>
    (await merge(`${volumes}/pv/status`, { status: { phase: name } })).json.status.lastPhaseTransitionTime;
  expect([await phase("Pending"), await phase("Bound")]).toEqual(["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"]);
});
