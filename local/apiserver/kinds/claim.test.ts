import { describe, expect, test } from "vitest";
import { claim, claims, testServer } from "../testing/test-server.ts";

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
