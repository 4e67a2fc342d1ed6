import { describe, expect, test } from "vitest";
import { about } from "../about.ts";
import type { Decision } from "../decision.ts";
import { ConfigMap } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Write } from "../kubernetes/write.ts";
import { progressKey } from "../progress.ts";
import { awayNameOf } from "../rule.ts";
import { normal, silent, warning } from "../steps.ts";
import { command } from "../system/command.ts";
import type { ExternalSystem } from "../system/system.ts";
import { permissionsAsSet } from "./permissions-as-set.ts";
import { type Operation, type PlannedRule, plan } from "./plan.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const lamp = { name: "lamp" } as ExternalSystem;
const rule: PlannedRule = {
  name: "lamps/light",
  steps: { lit: normal("Lit"), broken: warning("Broken"), quiet: silent },
  systems: { lamp },
};
const note = (step: string, next?: string) =>
  JSON.stringify({
    v: 1,
    uid: "u1",
    step,
    since: "2026-03-01T11:00:00.000Z",
    ...(next ? { next } : {}),
    because: "So.",
  });

function object(annotations: Record<string, string> = {}, labels: Record<string, string> = {}): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "n", uid: "u1", resourceVersion: "7", annotations, labels },
  };
}

const key = progressKey(rule.name);
const plain = about(ConfigMap, object());
const lit = about(ConfigMap, object({ [key]: note("lit") }));
const spec: Write = {
  verb: "patch",
  kind: ConfigMap,
  namespace: "n",
  name: "a",
  type: "merge",
  patch: { metadata: { uid: "u1", resourceVersion: "7" }, data: { on: "yes" } },
};
const turnOn = command(lamp, "turn a lamp on", async () => {})({});
const precondition = { kind: ConfigMap, namespace: "n", name: "b", holds: () => true };

/** An operation in a few words, so that a table shows the order. */
function inWords(operation: Operation): string {
  switch (operation.do) {
    case "write":
      return `write ${operation.writes.length}${operation.follows ? " before a command" : ""}`;
    case "record":
      return `record ${operation.event.reason}${operation.again ? " again" : ""}`;
    case "clear":
      return `clear ${operation.reasons.join(",")}${operation.later ? " later" : ""}`;
    default:
      return operation.do;
  }
}

const cases: readonly [string, Decision, string, readonly string[]][] = [
  ["leave, where nothing is written down", plain.leave("Fine."), "leave", []],
  ["leave, where a step is written down", lit.leave("Fine."), "leave", ["write 1", "clear Lit,Broken later"]],
  ["record", plain.record("Look.", normal("Seen")), "record", ["record Seen"]],
  ["write without a step", plain.write("On.", [spec]), "write", ["write 1"]],
  [
    "write that enters a step",
    plain.write("On.", [spec], { step: { name: "lit" } }),
    "write",
    ["write 1", "record Lit"],
  ],
  ["write that stays in its step", lit.write("On.", [spec], { step: { name: "lit" } }), "write", ["write 1"]],
  [
    "write that goes from step to step",
    lit.write("Off.", [spec], { step: { name: "broken" }, event: normal("Off") }),
    "write",
    ["write 1", "record Broken", "record Off", "clear Lit later"],
  ],
  ["write of nothing in its step", lit.write("On.", [], { step: { name: "lit" } }), "leave", []],
  ["write that leaves progress unchanged", lit.write("On.", [spec], { progress: "unchanged" }), "write", ["write 1"]],
  [
    "write with a precondition, checked on both sides",
    plain.write("On.", [spec], { preconditions: [precondition] }),
    "write",
    ["check", "write 1", "check"],
  ],
  [
    "call: the intent, its Event, then the command",
    lit.call("On.", { step: { name: "broken" }, command: turnOn, writes: [spec] }),
    "call",
    ["write 1 before a command", "record Broken", "clear Lit", "send"],
  ],
  [
    "call with a precondition, which is checked before the call is noted, and before it is sent",
    lit.call("On.", { step: { name: "broken" }, command: turnOn, writes: [spec], preconditions: [precondition] }),
    "call",
    ["check", "write 1 before a command", "record Broken", "clear Lit", "check", "send"],
  ],
  [
    "call that is repeated: a patch of nothing guards it",
    lit.call("On.", { step: { name: "lit" }, command: turnOn }),
    "call",
    ["write 1 before a command", "send"],
  ],
  [
    "wait that enters a step: the Event first, the annotation last",
    lit.wait("Broken.", { step: { name: "broken" } }),
    "wait",
    ["record Broken", "write 1", "clear Lit", "record Broken again"],
  ],
  ["wait in its step", lit.wait("On.", { step: { name: "lit" } }), "wait", []],
  ["wait without a step", lit.wait("On."), "wait", []],
  ["stop with an Event alone", plain.stop("Help.", { event: warning("Help") }), "stop", ["record Help"]],
];

test.each(cases)("%s", (_, decision, result, operations) => {
  const planned = plan(rule, decision, now);
  expect([planned.result, planned.operations.map(inWords)]).toEqual([result, operations]);
});

test("a call is noted after its conditions, so that a conflict leaves no note of a call that was not made", () => {
  const status: Write = { ...spec, options: { subresource: "status" } };
  const decision = plain.call("On.", { step: { name: "lit" }, command: turnOn, writes: [spec, status] });
  const [intent] = plan(rule, decision, now).operations;
  const writes = intent?.do === "write" ? intent.writes : [];
  expect(writes.map((write) => write.verb === "patch" && write.options?.subresource)).toEqual(["status", undefined]);
  expect(JSON.stringify(writes.at(-1))).toContain(key);
});

test.each([
  ["a step that the rule does not declare", plain.wait("On.", { step: { name: "dark" } }), "declares no step dark"],
  [
    "a system that the rule does not declare",
    plain.call("On.", { step: { name: "lit" }, command: { ...turnOn, system: { name: "door" } as ExternalSystem } }),
    "does not declare the system door",
  ],
])("a decision with %s is a defect", (_, decision, message) => {
  expect(() => plan(rule, decision, now)).toThrow(message);
});

test("a finalizer is planned where a setting names it, and is undeclared otherwise", () => {
  const [Lamp, about] = [plain.leave("").kind, object()];
  const permissions = [
    {
      resource: Lamp,
      verbs: ["patch"],
      why: "to add the finalizer",
      writes: { finalizers: ["a/b"] },
      finalizerSetting: "finalizer",
    } as const,
  ];
  const { name: of, uid } = about.metadata;
  const patch = { metadata: { uid, finalizers: ["corp.example/keep"] } };
  const decision = plain.write("On.", [
    { verb: "patch", kind: Lamp, namespace: undefined, name: of, type: "merge", patch },
  ]);
  const held = { ...rule, permissions };
  expect(() => plan(held, decision, now)).toThrow("does not declare that it writes finalizers corp.example/keep");
  const asSet = permissionsAsSet(permissions, { finalizer: "corp.example/keep" });
  expect(plan({ ...rule, permissions: asSet }, decision, now).result).toBe("write");
});

describe("an outage that is written down", () => {
  const away = progressKey(awayNameOf(rule));
  const waiting = { "holdfast.dev/waiting": "true" };
  const outage = { [away]: note("LampUnreachable", "2026-03-01T11:00:30.000Z") };
  const patched = (decision: Decision) =>
    plan(rule, decision, now).operations.flatMap((operation) =>
      operation.do === "write" ? operation.writes.map((write) => (write as { patch: object }).patch) : [],
    );

  test.each([
    ["leave", about(ConfigMap, object(outage, waiting)).leave("Fine."), []],
    ["wait", about(ConfigMap, object({ ...outage, [key]: note("lit") }, waiting)).wait("On."), []],
    ["write", about(ConfigMap, object(outage, waiting)).write("On.", [spec], { progress: "unchanged" }), ["data"]],
  ])("is cleared, with its label and Event, by the first decision after it: %s", (_, decision, more) => {
    const [patch, ...others] = patched(decision);
    expect(others).toEqual([]);
    expect(patch).toMatchObject({
      metadata: { annotations: { [away]: null }, labels: { "holdfast.dev/waiting": null } },
    });
    expect(Object.keys(patch ?? {})).toEqual(expect.arrayContaining(more));
    expect(plan(rule, decision, now).operations.map(inWords).join()).toContain("LampUnreachable");
  });

  test("keeps the label where the rule's own progress has a due time", () => {
    const later = { ...outage, [key]: note("lit", "2026-03-01T13:00:00.000Z") };
    const [patch] = patched(about(ConfigMap, object(later, waiting)).wait("On."));
    expect(patch).toMatchObject({ metadata: { annotations: { [away]: null } } });
    expect(patch).not.toHaveProperty("metadata.labels");
  });

  test("stays while a command has yet to show that the system is there again", () => {
    const decision = about(ConfigMap, object(outage, waiting)).call("On.", { step: { name: "lit" }, command: turnOn });
    expect(JSON.stringify(patched(decision))).not.toContain(away);
  });
});
