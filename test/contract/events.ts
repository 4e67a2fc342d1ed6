import { describe, expect, test } from "vitest";
import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import { Event } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { manifest } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

/** Events of events.k8s.io/v1: what they need, and how little of them can change. */
export function events(open: () => Promise<Bench>): void {
  const valid = (namespace: string): Record<string, unknown> => ({
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "holdfast.dev/release",
    reportingInstance: "release-1",
    action: "Release",
    reason: "ClaimInUse",
    type: "Warning",
    regarding: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: "data", uid: "u1" },
    note: "The claim is in use.",
  });
  const create = ({ admin, namespace }: Bench, fields: Record<string, unknown>, name = "a") =>
    admin.create<KubernetesObject>(Event, manifest(Event, { namespace, name }, fields));

  describe("events.k8s.io/v1", () => {
    test("keeps what it is given, and shows it as a core/v1 Event too", async () => {
      const bench = await open();
      const fields = valid(bench.namespace);
      expect(await create(bench, fields)).toMatchObject(fields);
      const core = await bench.admin.request("GET", `/api/v1/namespaces/${bench.namespace}/events/a`);
      expect(core).toMatchObject({
        apiVersion: "v1",
        kind: "Event",
        message: fields.note,
        involvedObject: fields.regarding,
        reportingComponent: fields.reportingController,
        reason: "ClaimInUse",
        type: "Warning",
      });
    });

    test("a second create under the same name finds it taken", async () => {
      const bench = await open();
      await create(bench, valid(bench.namespace));
      expect(isAlreadyExists(await failure(create(bench, valid(bench.namespace))))).toBe(true);
    });

    test.each(["note", "reason", "action", "type", "reportingController"])(
      "its %s cannot be changed",
      async (field) => {
        const bench = await open();
        await create(bench, valid(bench.namespace));
        const error = await failure(bench.admin.patch(Event, bench.namespace, "a", "merge", { [field]: "Normal" }));
        expect(error).toMatchObject({ status: 422, reason: "Invalid" });
        expect(error.message).toContain("field is immutable");
      },
    );

    test("its series and its metadata can", async () => {
      const bench = await open();
      await create(bench, valid(bench.namespace));
      const patch = {
        metadata: { annotations: { a: "1" } },
        series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" },
      };
      expect(await bench.admin.patch(Event, bench.namespace, "a", "merge", patch)).toMatchObject(patch);
    });

    test.each(["eventTime", "reportingController", "reportingInstance", "action", "reason", "type", "regarding"])(
      "it needs its %s",
      async (field) => {
        const bench = await open();
        const { [field]: _, ...incomplete } = valid(bench.namespace);
        expect(await failure(create(bench, incomplete))).toMatchObject({ status: 422, reason: "Invalid" });
      },
    );

    test.each([
      ["a note of 1,025 characters", { note: "x".repeat(1025) }, 422],
      ["a type that is neither Normal nor Warning", { type: "Odd" }, 422],
      ["an eventTime without microseconds", { eventTime: "2026-01-01T00:00:00.123Z" }, 400],
    ])("%s is refused", async (_, fields, status) => {
      const bench = await open();
      expect((await failure(create(bench, { ...valid(bench.namespace), ...fields }))).status).toBe(status);
    });

    test("about an object without a namespace it lives in default", async () => {
      const bench = await open();
      const regarding = { apiVersion: "v1", kind: "Node", name: "node-0" };
      const name = `about-node-${bench.namespace}`;
      const elsewhere = await failure(create(bench, { ...valid(bench.namespace), regarding }, name));
      expect(elsewhere).toMatchObject({ status: 422, reason: "Invalid" });
      const there = { ...bench, namespace: "default" };
      expect(await create(there, { ...valid("default"), regarding }, name)).toMatchObject({ regarding });
      await bench.admin.delete(Event, "default", name);
    });
  });
}
