import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adviceOn } from "./advice.ts";
import { readLetter } from "./letter.ts";
import { added, keyOf, longestLetter, mostBytes, mostLetters, textOf } from "./ring.ts";

const received = Date.parse("2026-03-01T12:00:00.123Z");
const headers = {
  "content-type": "application/json",
  "ce-id": "8f7a-11",
  "ce-type": "dev.knative.apiserver.resource.delete",
  "ce-kind": "Pod",
  "ce-apiversion": "v1",
  "ce-namespace": "shop",
  "ce-name": "web-0",
  "ce-knativeerrordest": "http://pvc-protection-release.holdfast.svc.cluster.local/",
  "ce-knativeerrorcode": "403",
  "ce-knativeerrordata": Buffer.from("pods is forbidden.").toString("base64"),
};
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-0",
    namespace: "shop",
    uid: "p1",
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "hunter2" },
    managedFields: [{ manager: "hunter2" }],
  },
  spec: {
    nodeName: "n0",
    containers: [{ name: "main", env: [{ name: "PASSWORD", value: "hunter2" }], args: ["--token=hunter2"] }],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "data" } },
      { name: "keys", secret: { secretName: "hunter2" } },
      { name: "tmp", ephemeral: { volumeClaimTemplate: { metadata: { annotations: { key: "hunter2" } } } } },
    ],
  },
  status: { phase: "Running", message: "hunter2" },
};

test("a letter keeps the event's attributes, what the function said, and of the object only what rules read", () => {
  expect(readLetter({ headers, body: JSON.stringify(pod) }, received)).toEqual({
    received,
    attributes: {
      id: "8f7a-11",
      type: "dev.knative.apiserver.resource.delete",
      kind: "Pod",
      apiversion: "v1",
      namespace: "shop",
      name: "web-0",
    },
    destination: "pvc-protection-release.holdfast",
    code: "403",
    reply: "pods is forbidden.",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web-0", namespace: "shop", uid: "p1" },
      spec: {
        nodeName: "n0",
        volumes: [
          { name: "data", persistentVolumeClaim: { claimName: "data" } },
          { name: "tmp", ephemeral: {} },
        ],
      },
      status: { phase: "Running" },
    },
  });
});

test("no secret of an object is kept, wherever it stands", () => {
  for (const kind of ["Pod", "Secret", "ConfigMap"]) {
    const letter = readLetter(
      { headers: { ...headers, "ce-kind": kind }, body: JSON.stringify({ ...pod, kind, data: { x: "hunter2" } }) },
      received,
    );
    expect(JSON.stringify(letter)).not.toContain("hunter2");
  }
});

test("an object that rules can read live is left out, because without it no rule passes the event over", () => {
  for (const kind of ["PersistentVolumeClaim", "StatefulSet"]) {
    const body = JSON.stringify({ ...pod, kind });
    expect(readLetter({ headers: { ...headers, "ce-kind": kind }, body }, received).object).toBeUndefined();
  }
});

test("an event in structured mode is read as well", () => {
  const body = JSON.stringify({ id: "8f7a", kind: "Pod", name: "web-0", knativeerrorcode: "400", data: pod });
  const letter = readLetter(
    { headers: { "content-type": "application/cloudevents+json; charset=utf-8" }, body },
    received,
  );
  expect(letter).toMatchObject({
    attributes: { id: "8f7a", kind: "Pod", name: "web-0" },
    code: "400",
    object: { kind: "Pod" },
  });
});

/** Objects in which anything may stand where a rule would look. */
const podLike = fc
  .record(
    {
      metadata: fc.oneof(fc.jsonValue(), fc.constant({ name: "web-0" })),
      spec: fc.oneof(fc.jsonValue(), fc.record({ volumes: fc.jsonValue() })),
      status: fc.jsonValue(),
    },
    { requiredKeys: ["metadata"] },
  )
  .map((object) => JSON.stringify({ kind: "Pod", ...object }));
const header = fc.oneof(
  fc.string(),
  fc.constantFrom("ce-id", "ce-knativeerrordata", "ce-knativeerrordest", "content-type"),
);

test("volumes that are none are no reason to lose a letter", () => {
  const body = JSON.stringify({ kind: "Pod", metadata: { name: "web-0" }, spec: { volumes: [null, 7] } });
  expect(readLetter({ headers, body }, received)).toMatchObject({ object: { spec: { volumes: [] } } });
});

test("whatever arrives is read, and kept within its size", () => {
  fc.assert(
    fc.property(fc.dictionary(header, fc.string()), fc.oneof(fc.string(), fc.json(), podLike), (extra, body) => {
      const letter = readLetter({ headers: { ...headers, ...extra }, body }, received);
      expect(Buffer.byteLength(textOf(letter))).toBeLessThanOrEqual(longestLetter);
      expect(keyOf(letter)).toMatch(/^[-._A-Za-z0-9]+$/);
    }),
  );
});

test("an object that is too large leaves the letter its attributes", () => {
  const finalizers = Array.from({ length: 2000 }, (_, i) => `example.com/finalizer-${i}`);
  const letter = readLetter(
    { headers, body: JSON.stringify({ ...pod, metadata: { ...pod.metadata, finalizers } }) },
    received,
  );
  expect(JSON.parse(textOf(letter))).toMatchObject({ attributes: { name: "web-0" }, code: "403" });
  expect(textOf(letter).length).toBeLessThanOrEqual(longestLetter);
});

describe("the ring", () => {
  const letter = (i: number, size = 0) => ({
    received: received + i,
    attributes: { id: `id${i}`, name: "x".repeat(size) },
    destination: "",
    code: "",
    reply: "",
  });
  const fill = (count: number, size: number) => {
    let data: Record<string, string> = { README: "not a letter" };
    for (let i = 0; i < count; i++) {
      for (const [key, value] of Object.entries(added(data, letter(i, size)))) {
        if (value === null) delete data[key];
        else data = { ...data, [key]: value };
      }
    }
    return data;
  };

  test("keeps the newest letters, up to its count", () => {
    const data = fill(mostLetters + 7, 0);
    const { README, ...letters } = data;
    expect(README).toBe("not a letter");
    const ids = Object.values(letters).map((text) => JSON.parse(text).attributes.id);
    expect(ids).toEqual(Array.from({ length: mostLetters }, (_, i) => `id${i + 7}`));
  });

  test("keeps fewer when they are large", () => {
    const data = fill(60, 280 * 28);
    const size = Object.values(data).reduce((sum, text) => sum + text.length, 0);
    expect(size).toBeLessThanOrEqual(mostBytes + 100);
    expect(Object.keys(data)).toContain(keyOf(letter(59)));
  });

  test("holds a letter that was delivered twice once", () => {
    const data = { [keyOf(letter(1))]: textOf(letter(1)) };
    expect(added(data, letter(1))).toEqual(data);
  });
});

test.each([
  ["403", "Grant the function's role what it lacks"],
  ["400", "Correct the Trigger or the setting"],
  ["500", "This is a defect of the function"],
  ["503", "Look whether the function starts"],
  ["", "(no answer)"],
])("the advice on code %j is a sentence with what to do", (code, expected) => {
  const letter = readLetter({ headers: { ...headers, "ce-knativeerrorcode": code }, body: "" }, received);
  const advice = adviceOn(letter);
  expect(advice).toContain("The function pvc-protection-release.holdfast did not take a change of Pod web-0");
  expect(advice).toContain("and said: pods is forbidden. ");
  expect(advice).toContain(expected);
});
