import { expect, test } from "vitest";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Actor, Change } from "../../harness/simulated/change.ts";
import type { Process } from "../../harness/simulated/process.ts";
import type { Truth } from "./invariant.ts";
import { writesOntoWhatWasRead } from "./writes-onto-what-was-read.ts";

/** It has read version 1, with the note "read". */
const process = {
  knows: { includes: (text) => '"uid":"u" "resourceVersion":"1" "read"'.includes(text) },
} as Process;
const ours: Actor = { name: "evacuate.1", process };
const other: Actor = { name: "evacuate.2", process: { ...process } };

const lease = (version: number, note?: string): KubernetesObject => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: {
    name: "note",
    uid: "u",
    resourceVersion: String(version),
    annotations: note === undefined ? {} : { note },
  },
});

const written = (was: string, is: string | undefined, beforeBy: Actor) => {
  const after = lease(3, is);
  const change: Change = { by: ours, at: 0, version: 3, before: lease(2, was), beforeBy, after, object: after };
  return writesOntoWhatWasRead.check(change, {} as Truth);
};

test("a note that the process has read may go, or become any other", () => {
  for (const is of [undefined, "new"]) expect(written("read", is, other)).toBeUndefined();
});

test("a note that the process wrote without hearing the answer may go, or become one that it has read", () => {
  for (const is of [undefined, "read"]) expect(written("unheard", is, ours)).toBeUndefined();
});

test("a note that the process wrote without hearing the answer does not become a new one", () =>
  expect(written("unheard", "new", ours)).toMatch("version 2, which evacuate.1 has not seen"));

test("a note that another process wrote, and this one has not read, stays", () => {
  for (const is of [undefined, "read", "new"]) expect(written("unheard", is, other)).toMatch("has not seen");
});
