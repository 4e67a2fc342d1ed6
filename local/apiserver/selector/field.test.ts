import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { builtin } from "../kinds/builtin-kinds.ts";
import type { Resource } from "../resource.ts";
import { parseFieldSelector } from "./field.ts";

const resource = (apiVersion: string, kind: string) =>
  builtin.find((one) => one.apiVersion === apiVersion && one.kind === kind) as Resource;
const object = (more: object): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "n", uid: "u", resourceVersion: "1" },
  ...more,
});

describe("of pods", () => {
  const bound = object({ spec: { nodeName: "node-1", restartPolicy: "Never" }, status: { phase: "Running" } });
  const unbound = object({ spec: { restartPolicy: "Always" }, status: { phase: "Pending" } });
  test.each([
    ["spec.nodeName!=", true, false],
    ["spec.nodeName=", false, true],
    ["spec.nodeName=node-1", true, false],
    ["status.phase!=Pending,spec.restartPolicy==Never", true, false],
    ["spec.hostNetwork=false", true, true],
    ["metadata.name=p,metadata.namespace=n", true, true],
    [",", true, true],
  ])("%s", (text, ofBound, ofUnbound) => {
    const selects = parseFieldSelector(resource("v1", "Pod"), text);
    expect([selects(bound), selects(unbound)]).toEqual([ofBound, ofUnbound]);
  });
  test.each([
    ["spec.volumes=x", "field label not supported: spec.volumes"],
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["status.phase=b=c", "invalid field selector: unescaped character in value: 61"],
  ])("%s is refused", (text, message) => {
    expect(() => parseFieldSelector(resource("v1", "Pod"), text)).toThrow(message);
  });
});

test("claims know no field but their name and namespace", () => {
  expect(() => parseFieldSelector(resource("v1", "PersistentVolumeClaim"), "status.phase=Bound")).toThrow(
    '"status.phase" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
});

test("events are selected by the names of the group that is asked", () => {
  const event = object({ involvedObject: { name: "c", kind: "Pod" }, reportingComponent: "x.dev/y", type: "Normal" });
  expect(parseFieldSelector(resource("v1", "Event"), "involvedObject.name=c,source=x.dev/y")(event)).toBe(true);
  expect(
    parseFieldSelector(resource("events.k8s.io/v1", "Event"), "regarding.name=c,reportingController=x.dev/y")(event),
  ).toBe(true);
  expect(() => parseFieldSelector(resource("events.k8s.io/v1", "Event"), "involvedObject.name=c")).toThrow(
    "field label not supported: involvedObject.name",
  );
});
