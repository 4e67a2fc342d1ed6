import { describe, expect, test } from "vitest";
import { callsInFlight, noteCall } from "../../functions/satellite/evacuate/calls.ts";
import { isConflict } from "../../shared/kubernetes/api-error.ts";
import type { PatchType } from "../../shared/kubernetes/client.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import { Lease, type LeaseObject, takeLease } from "../../shared/kubernetes/lease.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { send, type Write } from "../../shared/kubernetes/write.ts";
import { ConfigMap } from "../harness/kinds.ts";
import { configMap } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";
import { owners } from "./owners.ts";

/** The three kinds of patch, above all on lists that several writers share. */
export function patches(open: () => Promise<Bench>): void {
  const create = ({ admin, namespace }: Bench, metadata: object, data: Record<string, string> = {}) =>
    admin.create(ConfigMap, configMap({ namespace, name: "a", ...metadata }, data));
  const patch = ({ admin, namespace }: Bench, type: PatchType, value: unknown) =>
    admin.patch<KubernetesObject & { data?: object }>(ConfigMap, namespace, "a", type, value);

  test("a Lease is given back by the JSON patch that tests for what taking it noted, and by no other", async () => {
    const { admin, namespace } = await open();
    const [now, claimant] = [Date.now(), { namespace, name: "a", holder: "one" }];
    const satellite = configMap({ namespace, name: "node-1", uid: "u1" });
    const noteAt = (time: number) => noteCall(undefined, satellite, claimant, { node: "uuid" }, time);
    await send(admin, takeLease(undefined, noteAt(now).claimant, now));
    await failure(send(admin, noteAt(now + 1).answered));
    const noted = async () => callsInFlight(await admin.get<LeaseObject>(Lease, namespace, "a"), now);
    expect(await noted()).toMatchObject([{ holder: "one", end: now + 600_000 }]);
    // The note of a call that is not sent makes way for the one that was there.
    const lease = await admin.get<LeaseObject>(Lease, namespace, "a");
    const next = noteCall(lease, satellite, claimant, { node: "uuid" }, now + 1);
    await send(admin, takeLease(lease, next.claimant, now + 1));
    expect(await noted()).toMatchObject([{ end: now + 600_001 }]);
    await send(admin, next.unsent as Write);
    expect(await noted()).toMatchObject([{ end: now + 600_000 }]);
    await send(admin, noteAt(now).answered);
    expect(await noted()).toEqual([]);
  });

  describe("merge patch", () => {
    test("merges maps, removes with null, keeps the rest", async () => {
      const bench = await open();
      await create(bench, { labels: { keep: "1", drop: "1" } }, { keep: "1", drop: "1" });
      const patched = await patch(bench, "merge", {
        metadata: { labels: { drop: null, add: "1" } },
        data: { drop: null, add: "1" },
      });
      expect(patched?.metadata.labels).toEqual({ keep: "1", add: "1" });
      expect(patched?.data).toEqual({ keep: "1", add: "1" });
    });

    test("replaces a list whole: finalizers and owners of others are lost", async () => {
      const bench = await open();
      const [one, two, three] = await owners(bench);
      await create(bench, { finalizers: ["a.example/1", "a.example/2"], ownerReferences: [one, two] });
      const metadata = { finalizers: ["a.example/3"], ownerReferences: [three] };
      const patched = await patch(bench, "merge", { metadata });
      expect(patched?.metadata).toMatchObject(metadata);
    });
  });

  describe("strategic merge patch", () => {
    test("adds to finalizers as to a set, and takes single ones away", async () => {
      const bench = await open();
      await create(bench, { finalizers: ["a.example/1", "a.example/2"] });
      const added = await patch(bench, "strategic", { metadata: { finalizers: ["a.example/2", "a.example/3"] } });
      expect([...(added?.metadata.finalizers ?? [])].sort()).toEqual(["a.example/1", "a.example/2", "a.example/3"]);
      const removed = await patch(bench, "strategic", {
        metadata: { "$deleteFromPrimitiveList/finalizers": ["a.example/2"] },
      });
      expect([...(removed?.metadata.finalizers ?? [])].sort()).toEqual(["a.example/1", "a.example/3"]);
    });

    test("matches owner references by their uid", async () => {
      const bench = await open();
      const [one, two, three] = await owners(bench);
      await create(bench, { ownerReferences: [one, two] });
      const patchOwner = async (reference: object) => {
        const patched = await patch(bench, "strategic", { metadata: { ownerReferences: [reference] } });
        return patched?.metadata.ownerReferences?.toSorted((a, b) => a.name.localeCompare(b.name));
      };
      expect(await patchOwner({ uid: two.uid, controller: true })).toEqual([one, { ...two, controller: true }]);
      expect(await patchOwner(three)).toEqual([one, { ...two, controller: true }, three]);
      expect(await patchOwner({ uid: one.uid, $patch: "delete" })).toEqual([{ ...two, controller: true }, three]);
    });
  });

  describe("JSON Patch", () => {
    test("adds to the end of a list, removes one element, tests before", async () => {
      const bench = await open();
      const { metadata } = await create(bench, { finalizers: ["a.example/1"] });
      const patched = await patch(bench, "json", [
        { op: "test", path: "/metadata/uid", value: metadata.uid },
        { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
        { op: "add", path: "/metadata/finalizers/-", value: "a.example/2" },
        { op: "test", path: "/metadata/finalizers/0", value: "a.example/1" },
        { op: "remove", path: "/metadata/finalizers/0" },
        { op: "add", path: "/metadata/annotations", value: { "a.example/b": "1" } },
      ]);
      expect(patched?.metadata.finalizers).toEqual(["a.example/2"]);
      const escaped = await patch(bench, "json", [
        { op: "replace", path: "/metadata/annotations/a.example~1b", value: "2" },
      ]);
      expect(escaped?.metadata.annotations).toEqual({ "a.example/b": "2" });
    });

    test.each([
      ["a test of another value", [{ op: "test", path: "/metadata/uid", value: "other" }]],
      ["a test of a missing member", [{ op: "test", path: "/metadata/annotations/none", value: "1" }]],
      ["a removal of a missing member", [{ op: "remove", path: "/metadata/annotations/none" }]],
      ["a removal past the end of a list", [{ op: "remove", path: "/metadata/finalizers/7" }]],
      ["an addition below a missing member", [{ op: "add", path: "/metadata/labels/a", value: "1" }]],
    ])("%s is invalid, without causes, changes nothing, and counts as a conflict", async (_, operations) => {
      const bench = await open();
      const before = await create(bench, { finalizers: ["a.example/1"] });
      const error = await failure(
        patch(bench, "json", [{ op: "add", path: "/data", value: { a: "1" } }, ...operations]),
      );
      expect(error).toMatchObject({ status: 422, reason: "Invalid", causes: [] });
      expect(error.message).toContain("the server rejected our request due to an error in our request");
      expect(isConflict(error)).toBe(true);
      const after = await bench.admin.get(ConfigMap, bench.namespace, "a");
      expect(after?.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });

    test("that is no list of operations is a bad request", async () => {
      const bench = await open();
      await create(bench, {});
      expect(await failure(patch(bench, "json", { op: "remove" }))).toMatchObject({
        status: 400,
        reason: "BadRequest",
      });
    });

    test("that leads to an invalid object names the field, and is no conflict", async () => {
      const bench = await open();
      await create(bench, {});
      const add = [{ op: "add", path: "/metadata/finalizers", value: ["Not Valid"] }];
      const error = await failure(patch(bench, "json", add));
      expect(error).toMatchObject({ status: 422, reason: "Invalid" });
      expect(error.causes.length).toBeGreaterThan(0);
      expect(isConflict(error)).toBe(false);
    });
  });

  test("a patch of any other content type is refused", async () => {
    const bench = await open();
    await create(bench, {});
    const path = pathOf(ConfigMap, bench.namespace, "a");
    const error = await failure(bench.admin.request("PATCH", path, {}, { "content-type": "application/json" }));
    expect(error).toMatchObject({ status: 415, reason: "UnsupportedMediaType" });
  });

  test("two owners that both control are invalid", async () => {
    const bench = await open();
    const [one, two] = await owners(bench);
    const ownerReferences = [one, two].map((reference) => ({ ...reference, controller: true }));
    const error = await failure(create(bench, { ownerReferences }));
    expect(error).toMatchObject({ status: 422, reason: "Invalid" });
    expect(error.message).toContain("Only one reference can have Controller set to true");
    expect(error.causes.map((cause) => cause.field)).toContain("metadata.ownerReferences");
  });

  test.each(["apiVersion", "kind", "name", "uid"] as const)("an owner needs its %s", async (field) => {
    const bench = await open();
    const [one] = await owners(bench);
    const { [field]: _, ...incomplete } = one;
    const error = await failure(create(bench, { ownerReferences: [incomplete] }));
    expect(error).toMatchObject({ status: 422, reason: "Invalid" });
    expect(error.causes.map((cause) => cause.field)).toContain(`metadata.ownerReferences.${field}`);
  });
}
