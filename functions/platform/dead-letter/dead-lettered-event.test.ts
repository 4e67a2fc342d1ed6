import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { isEventKey, readLeftOut } from "../lib/kept-event.ts";
import { adviceOn, type Circumstances } from "./advice.ts";
import { type DeadLetteredEvent, readDeadLetteredEvent } from "./dead-lettered-event.ts";
import { lookAtFunction } from "./installed-function.ts";
import {
  added,
  keyOf,
  longestEvent,
  mostBytes,
  mostEvents,
  mostOfOne,
  mostUnattributed,
  period,
  textOf,
  withSince,
} from "./ring-buffer.ts";

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

test("what is kept is the event's attributes, what the function said, and of the object only what rules read", () => {
  expect(readDeadLetteredEvent({ headers, body: JSON.stringify(pod) }, received)).toEqual({
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
    const event = readDeadLetteredEvent(
      { headers: { ...headers, "ce-kind": kind }, body: JSON.stringify({ ...pod, kind, data: { x: "hunter2" } }) },
      received,
    );
    expect(JSON.stringify(event)).not.toContain("hunter2");
  }
});

test("an object that rules can read live is left out, because without it no rule passes the event over", () => {
  for (const kind of ["PersistentVolumeClaim", "StatefulSet"]) {
    const body = JSON.stringify({ ...pod, kind });
    expect(readDeadLetteredEvent({ headers: { ...headers, "ce-kind": kind }, body }, received).object).toBeUndefined();
  }
});

test("an event in structured mode is read as well", () => {
  const body = JSON.stringify({ id: "8f7a", kind: "Pod", name: "web-0", knativeerrorcode: "400", data: pod });
  const event = readDeadLetteredEvent(
    { headers: { "content-type": "application/cloudevents+json; charset=utf-8" }, body },
    received,
  );
  expect(event).toMatchObject({
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

test("volumes that are none are no reason to lose an event", () => {
  const body = JSON.stringify({ kind: "Pod", metadata: { name: "web-0" }, spec: { volumes: [null, 7] } });
  expect(readDeadLetteredEvent({ headers, body }, received)).toMatchObject({ object: { spec: { volumes: [] } } });
});

test("any request is read, and kept within its size", () => {
  fc.assert(
    fc.property(fc.dictionary(header, fc.string()), fc.oneof(fc.string(), fc.json(), podLike), (extra, body) => {
      const event = readDeadLetteredEvent({ headers: { ...headers, ...extra }, body }, received);
      expect(Buffer.byteLength(textOf(event))).toBeLessThanOrEqual(longestEvent);
      expect(keyOf(event)).toMatch(/^[-._A-Za-z0-9]+$/);
    }),
  );
});

test("an object that is too large leaves the event its attributes", () => {
  const finalizers = Array.from({ length: 2000 }, (_, i) => `example.com/finalizer-${i}`);
  const event = readDeadLetteredEvent(
    { headers, body: JSON.stringify({ ...pod, metadata: { ...pod.metadata, finalizers } }) },
    received,
  );
  expect(JSON.parse(textOf(event))).toMatchObject({ attributes: { name: "web-0" }, code: "403" });
  expect(textOf(event).length).toBeLessThanOrEqual(longestEvent);
});

describe("the ring buffer", () => {
  const hour = 3_600_000;
  const event = (i: number, size = 0, destination = `function-${i % 12}.holdfast`): DeadLetteredEvent => ({
    received: received + i,
    attributes: { id: `id${i}`, name: "x".repeat(size) },
    destination,
    code: "",
    reply: "",
  });
  /** With so many milliseconds between the events. */
  const fill = (count: number, size: number, every = 1) => {
    let data: Record<string, string> = { README: "no event" };
    for (let i = 0; i < count; i++) {
      for (const [key, value] of Object.entries(added(data, { ...event(i, size), received: received + i * every }))) {
        if (value === null) delete data[key];
        else data = { ...data, [key]: value };
      }
    }
    return data;
  };

  test("keeps the newest events, up to its count, where they are older than an hour", () => {
    const data = fill(mostEvents + 7, 0, hour);
    const { README, ...events } = data;
    expect(README).toBe("no event");
    const ids = Object.values(events).map((text) => JSON.parse(text).attributes.id);
    expect(ids).toEqual(Array.from({ length: mostEvents }, (_, i) => `id${i + 7}`));
  });

  test("keeps fewer when they are large", () => {
    const data = fill(60, 280 * 28, hour);
    const size = Object.values(data).reduce((sum, text) => sum + text.length, 0);
    expect(size).toBeLessThanOrEqual(mostBytes + 100);
    expect(Object.values(data).join()).toContain('"id59"');
  });

  const unattributed = (i: number) => event(i, 0, "");
  const put = (data: Record<string, string>, one: DeadLetteredEvent) => {
    const change = added(data, one);
    return Object.fromEntries(
      Object.entries({ ...data, ...change }).filter((entry): entry is [string, string] => entry[1] !== null),
    );
  };

  test("takes few events an hour whose function is unknown, and loses no other for them", () => {
    let data = fill(mostEvents - mostUnattributed - 2, 0);
    const others = Object.values(data).length;
    for (let i = 0; i < 1_000; i++) data = put(data, unattributed(mostEvents + i));
    const kept = Object.values(data).filter((text) => text.includes('"destination":""'));
    expect(kept).toHaveLength(mostUnattributed);
    expect(Object.keys(data).filter(isEventKey)).toHaveLength(others - 1 + mostUnattributed);
    expect(added(data, unattributed(2_000))).toEqual({});
    // What is known of a function is still taken.
    expect(Object.keys(added(data, event(2_001)))).toContain(keyOf(event(2_001)));
  });

  test("takes the first events of one function in an hour, and loses no other for those that follow", () => {
    const kept = (data: Record<string, string>) => Object.keys(data).filter(isEventKey);
    let data: Record<string, string> = {};
    for (let i = 0; i < 1_000; i++) data = put(data, event(i, 0, "pvc-protection-release.holdfast"));
    expect(kept(data)).toHaveLength(mostOfOne);
    expect(kept(data)).toContain(keyOf(event(0, 0, "pvc-protection-release.holdfast")));
    expect(kept(put(data, event(2_000)))).toHaveLength(mostOfOne + 1);
    expect(Object.keys(readLeftOut(data))).toEqual(["pvc-protection-release.holdfast"]);
    const later = event(period + 100, 0, "pvc-protection-release.holdfast");
    data = put(data, later);
    expect(kept(data)).toHaveLength(mostOfOne);
    expect(kept(data)).toContain(keyOf(later));
  });

  test("loses no event of a function within an hour to a flood that names a hundred of each", () => {
    const functions = Array.from({ length: 12 }, (_, i) => `function-${i}.holdfast`);
    const genuine = functions.slice(0, 3).map((name, i) => event(i, 0, name));
    let data = genuine.reduce(put, {} as Record<string, string>);
    let taken = 0;
    for (let i = 0; i < 1_200; i++) {
      // One function after another, and then all in turn.
      const forged = event(10 + i, 0, functions[i < 600 ? Math.floor(i / 50) : i % 12]);
      if (keyOf(forged) in added(data, forged)) taken++;
      data = put(data, forged);
    }
    expect(Object.keys(data)).toEqual(expect.arrayContaining(genuine.map(keyOf)));
    // Each one that is taken is a line of the log and an Event.
    expect(taken).toBeLessThan(100);
    // A function that had none keeps its first one all the same.
    const late = event(1_300, 0, "function-late.holdfast");
    data = put(data, late);
    expect(Object.keys(data)).toContain(keyOf(late));
    expect(Object.keys(data).filter(isEventKey)).toHaveLength(mostEvents);
    expect(Object.keys(readLeftOut(data))).toContain("function-0.holdfast");
  });

  test("has new ones of these in the place of the old an hour later", () => {
    let data: Record<string, string> = {};
    for (let i = 0; i < 10; i++) data = put(data, unattributed(i));
    const later = unattributed(period + 100);
    data = put(data, later);
    expect(Object.keys(data)).toHaveLength(mostUnattributed);
    expect(Object.keys(data)).toContain(keyOf(later));
    expect(Object.keys(data)).not.toContain(keyOf(unattributed(0)));
  });

  const minute = 60_000;
  const ofSweep = (minutes: number, source = "https://holdfast.dev/platform/sweep"): DeadLetteredEvent => ({
    ...event(minutes * minute, 0, "pvc-protection-release.holdfast"),
    attributes: {
      id: `id${minutes}`,
      type: "dev.knative.apiserver.resource.update",
      source,
      apiversion: "v1",
      kind: "PersistentVolumeClaim",
      namespace: "shop",
      name: "a",
    },
    code: "503",
  });

  test("holds one event of the sweep that fails again and again, and since when", () => {
    const first = ofSweep(0, "https://10.96.0.1:443");
    let data = put({}, first);
    for (let minutes = 5; minutes <= 55; minutes += 5) data = put(data, withSince(data, ofSweep(minutes)));
    expect(Object.keys(data)).toEqual([keyOf(ofSweep(55))]);
    expect(JSON.parse(data[keyOf(ofSweep(55))] ?? "")).toMatchObject({ since: received });
    // What was taken in between is another failure.
    expect(withSince(data, ofSweep(55 + 40)).since).toBeUndefined();
  });

  test("keeps what the sweep sends again beside an event that says that the function has a defect", () => {
    const first = ofSweep(0, "https://10.96.0.1:443");
    let data = put({}, first);
    const forged = { ...ofSweep(1), code: "500" };
    data = put(data, withSince(data, forged));
    expect(Object.keys(data)).toEqual([keyOf(first), keyOf(forged)]);
    data = put(data, withSince(data, ofSweep(5)));
    expect(Object.keys(data)).toEqual([keyOf(forged), keyOf(ofSweep(5))]);
    expect(JSON.parse(data[keyOf(ofSweep(5))] ?? "")).toMatchObject({ since: received });
  });

  test.each<Partial<DeadLetteredEvent>>([
    { destination: "pvc-protection-warn.holdfast" },
    { code: "400" },
    { attributes: { ...ofSweep(0).attributes, name: "b" } },
  ])("keeps both events that arrive at once with the same id, of which one has %j", (other) => {
    const first = ofSweep(0, "https://10.96.0.1:443");
    expect(Object.keys(put(put({}, first), { ...first, ...other }))).toHaveLength(2);
  });

  test("holds an event that was delivered twice once", () => {
    const data = { [keyOf(event(1))]: textOf(event(1)) };
    expect(added(data, event(1))).toEqual(data);
  });
});

test("an event of many long attributes is kept within their limits with any values of the sender", () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`a${i}`, "x".repeat(700)]));
  const event = readDeadLetteredEvent(
    {
      headers: { "content-type": "application/cloudevents+json" },
      body: JSON.stringify({ ...many, ["n".repeat(1_000_000)]: "", "a text": "x", knativeerrorcode: "run me" }),
    },
    received,
  );
  expect(JSON.stringify(event).length).toBeLessThan(longestEvent);
  expect(Object.keys(event.attributes)).not.toContain("a text");
  expect(event.code).toBe("");
});

const release = { name: "pvc-protection-release", secrets: [] };
const denied = 'pods is forbidden: User "a" cannot list resource "pods" in API group "".';
const deniedByPolicy =
  "persistentvolumeclaims \"data\" is forbidden: ValidatingAdmissionPolicy 'holdfast-pvc-protection-release' with " +
  "binding 'holdfast-pvc-protection-release' denied request: pvc-protection/release only changes these annotations.";
const advise = (code: string, reply: string, circumstances: Partial<Circumstances> = {}) => {
  const data = Buffer.from(reply).toString("base64");
  const event = readDeadLetteredEvent(
    { headers: { ...headers, "ce-knativeerrorcode": code, "ce-knativeerrordata": data }, body: "" },
    received,
  );
  const where = { namespace: "holdfast", configMap: "holdfast-dead-letters" };
  return adviceOn(event, "this Pod", { ...where, found: release, quoting: false, ...circumstances });
};

test.each<[string, string, Circumstances["found"], string]>([
  ["403", denied, release, "Grant the function's role the verb that the reply names"],
  ...["400", "403", "422"].map((code): [string, string, Circumstances["found"], string] => [
    code,
    deniedByPolicy,
    release,
    "exclude the group system:serviceaccounts:holdfast from it, in its matchConditions. Otherwise ",
  ]),
  ["403", "There is nothing to log in with.", { ...release, secrets: ["holdfast-salt"] }, "Secret holdfast-salt in"],
  ["403", "Salt does not accept it.", { ...release, secrets: ["holdfast-salt"] }, "has the right credentials"],
  ["403", 'Events are not taken from "a": OIDC_SENDERS and OIDC_MORE_SENDERS do', release, "to OIDC_MORE_SENDERS."],
  ["401", 'its token is not meant for "a".', release, "Set spec.subscriber.audience of the Trigger to"],
  ["400", "The event has no name.", release, "Correct the Trigger, the setting or the policy that the reply names"],
  ...["400", "401", "403", "422"].map((code): [string, string, Circumstances["found"], string] => [
    code,
    denied,
    release,
    "The sweep tries again every five minutes for an hour, and then ever more rarely.",
  ]),
  ["500", "", { ...release, unready: "RevisionFailed" }, "Correct that. Then replay the event."],
  ["500", "It broke.", release, "This is a defect of the function"],
  ["500", "dispatch error: connection refused", release, "(no answer). It could not be reached"],
  ["503", "dispatch error: it is full", release, "(HTTP 503)."],
  ["500", "", { ...release, unready: "RevisionFailed" }, "describe ksvc pvc-protection-release"],
  ["", "", { ...release, unready: "RevisionFailed" }, "It has no ready Revision (RevisionFailed)"],
  ["503", "", release, "The sweep tries again every five minutes"],
  ["", "", release, "(no answer)"],
  ["404", "", "absent", "install the function, or delete its Triggers"],
])("the advice on code %j and the reply %j to %j says what helps", (code, reply, found, expected) => {
  const advice = advise(code, reply, { found });
  const who = typeof found === "object" ? `The function ${found.name}` : "A function";
  expect(advice).toContain(`${who} did not take a change of this Pod`);
  expect(advice).toContain(expected);
  if (!expected.startsWith("This is a defect")) expect(advice).not.toContain("defect");
});

test("the reply is repeated only where the sender is verified", () => {
  expect(advise("403", "Run: curl evil")).not.toContain("curl");
  expect(advise("403", denied, { quoting: true })).toContain(`and replied: ${denied} `);
});

test("without a destination the advice blames no function, and names a Trigger that is gone among the causes", () => {
  const { "ce-knativeerrordest": _dest, "ce-knativeerrorcode": _code, "ce-knativeerrordata": _data, ...bare } = headers;
  const where = { namespace: "keeping", configMap: "holdfast-dead-letters" };
  const event = readDeadLetteredEvent({ headers: bare, body: "" }, received);
  const advice = adviceOn(event, "Pod web-0", { ...where, found: "absent", quoting: true });
  expect(advice).toMatch(/^A change of Pod web-0 was not taken, and the broker does not say by which function\. /);
  expect(advice).toContain("a Trigger that is gone");
  expect(advice).toContain("StaleSubscribers");
  expect(advice).toContain("kubectl -n keeping describe configmap");
});

const knative = "serving.knative.dev/v1";
const service = (status: object, volumes: readonly object[] = []) => ({
  spec: { template: { spec: { volumes } } },
  status,
});
const find = (objects: Readonly<Record<string, object | undefined>>, destination = "volume-prepare.holdfast") => {
  const get = async ({ apiVersion }: Kind) => objects[apiVersion];
  return lookAtFunction({ get } as unknown as Client, destination, "holdfast");
};

test("a function is known by its account, with its Secrets and whether it has a ready Revision", async () => {
  const projected = { sources: [{ secret: { name: "tls" } }] };
  const mounts = [{ secret: { secretName: "holdfast-salt" } }, { projected }];
  const failing = { conditions: [{ type: "ConfigurationsReady", status: "False", reason: "RevisionFailed" }] };
  const v1 = {};
  expect(await find({ v1, [knative]: service({ latestReadyRevisionName: "r1" }, mounts) })).toEqual({
    name: "volume-prepare",
    secrets: ["holdfast-salt", "tls"],
  });
  expect(await find({ v1, [knative]: service(failing) })).toMatchObject({ unready: "RevisionFailed" });
  expect(await find({ v1 })).toMatchObject({ unready: "there is no Service" });
  expect(await find({ [knative]: service({}) })).toBe("absent");
  for (const elsewhere of ["volume-prepare.other", "run this.holdfast", ""])
    expect(await find({ v1 }, elsewhere)).toBe("absent");
});
