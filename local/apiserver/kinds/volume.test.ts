import { describe, expect, test } from "vitest";
import { testServer } from "../testing/test-server.ts";

const volumes = "/api/v1/persistentvolumes";
const attachments = "/apis/storage.k8s.io/v1/volumeattachments";
const classes = "/apis/storage.k8s.io/v1/storageclasses";
const spec = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, csi: { driver: "d", volumeHandle: "h" } };

describe("of a volume", () => {
  async function change(patch: object) {
    const { ask, merge } = testServer();
    await ask("POST", volumes, { metadata: { name: "pv" }, spec });
    const { status, json } = await merge(`${volumes}/pv`, { spec: patch });
    return [status, json.details?.causes[0].field];
  }

  test.each([
    [{ persistentVolumeReclaimPolicy: "Delete" }],
    [{ claimRef: { namespace: "default", name: "data" } }],
    [{ capacity: { storage: "2Gi" } }],
    [{ storageClassName: "fast" }],
    [{ nodeAffinity: { required: { nodeSelectorTerms: [] } } }],
  ])("%j may change", async (patch) => expect(await change(patch)).toEqual([200, undefined]));

  test.each([
    [{ csi: { volumeHandle: "other" } }, "spec.persistentvolumesource"],
    [{ volumeMode: "Block" }, "volumeMode"],
    [{ hostPath: { path: "/x" } }, "spec.hostPath"],
  ])("%j may not", async (patch, field) => expect(await change(patch)).toEqual([422, field]));

  test("what it is must be said", async () => {
    const { json } = await testServer().ask("POST", volumes, { metadata: { name: "pv" }, spec: {} });
    expect(json.details.causes.map(({ field, message }: Record<string, string>) => `${field}: ${message}`)).toEqual([
      "spec.accessModes: Required value",
      "spec.capacity: Required value",
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      "spec: Required value: must specify a volume type",
    ]);
  });
});

test("of a storage class what it provisions may not change", async () => {
  const { ask, merge } = testServer();
  await ask("POST", classes, { metadata: { name: "c" }, provisioner: "x.dev/y" });
  const change = async (patch: object) => (await merge(`${classes}/c`, patch)).status;
  expect([
    await change({ provisioner: "z" }),
    await change({ reclaimPolicy: "Retain" }),
    await change({ parameters: { a: "b" } }),
    await change({ allowVolumeExpansion: true }),
  ]).toEqual([422, 422, 422, 200]);
});

test("of an attachment only the status may change", async () => {
  const { ask, merge } = testServer();
  const source = { persistentVolumeName: "pv" };
  const made = await ask("POST", attachments, {
    metadata: { name: "a" },
    spec: { attacher: "d", nodeName: "n", source },
  });
  expect(made.json.status).toEqual({ attached: false });
  expect((await merge(`${attachments}/a`, { spec: { nodeName: "m" } })).status).toBe(422);
  expect((await merge(`${attachments}/a/status`, { status: { attached: true } })).json.status).toEqual({
    attached: true,
  });
});
