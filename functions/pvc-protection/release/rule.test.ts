import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { partly } from "../../../shared/look-at-each.ts";
import { nextProgress, progressKey } from "../../../shared/progress.ts";
import { readSettings } from "../../../shared/settings.ts";
import { claim as claimWith, hint } from "../testing/objects.ts";
import { type Facts, release, type User } from "./rule.ts";

const ours = "holdfast.dev/pvc-protection";
const inTree = "kubernetes.io/pvc-protection";
const key = progressKey(release.name);
const now = Date.parse("2026-03-01T12:00:00Z");
const settings = (environment: Record<string, string> = {}) => readSettings(release.settings, environment);

const claim = (finalizers: string[], more: object = {}) =>
  claimWith({ deletionTimestamp: "2026-03-01T11:59:50Z", finalizers, ...more });
const users = (...list: User[]) => new Map(list.length > 0 ? [["data", list]] : []);
const web = { pod: "web-0", node: "n0" };
const decideOne = (claim: KubernetesObject, using: User[] = [], environment = {}, at = now): Decision => {
  const [decision] = release.decide({ claims: [claim], users: users(...using) }, at, settings(environment));
  if (!decision) throw new Error("One decision was expected.");
  return decision;
};
/** The finalizer that the decision's patch removes. */
const removed = (decision: Decision) => {
  if (decision.do !== "write") return undefined;
  const [write] = decision.writes;
  const operations = write?.verb === "patch" ? (write.patch as { op: string; path: string; value?: string }[]) : [];
  return operations.find(({ op, path }) => op === "test" && path.startsWith("/metadata/finalizers/"))?.value;
};

describe("a claim being deleted", () => {
  const decides = (
    finalizers: string[],
    using: User[],
    environment: Record<string, string>,
    expected: string,
    finalizer: string | undefined,
  ) => {
    const decision = decideOne(claim(finalizers), using, environment);
    expect(decision.do).toBe(expected);
    expect(removed(decision)).toBe(finalizer);
  };
  test("no pod uses it, ours is the last finalizer", () => decides([ours], [], {}, "write", ours));
  test("no pod uses it, finalizers of others are there too", () =>
    decides(["a.example/x", ours, "b.example/y"], [], {}, "write", ours));
  test("no pod uses it, the in-tree controller has not released it yet", () =>
    decides([inTree, ours], [], {}, "wait", undefined));
  test("a pod uses it", () => decides([ours], [web], {}, "wait", undefined));
  test("a pod uses it, the in-tree finalizer is there", () => decides([inTree, ours], [web], {}, "wait", undefined));
  test("no pod uses it, in-tree protection is off: first the in-tree finalizer", () =>
    decides([inTree, ours], [], { IN_TREE: "absent" }, "write", inTree));
  test("no pod uses it, in-tree protection is off: then ours", () =>
    decides([ours], [], { IN_TREE: "absent" }, "write", ours));
  test("no pod uses it, in-tree protection is off, and it was deleted before protect saw it", () =>
    decides([inTree], [], { IN_TREE: "absent" }, "write", inTree));
  test("a pod uses it, in-tree protection is off", () =>
    decides([inTree, ours], [web], { IN_TREE: "absent" }, "wait", undefined));
  test("under the in-tree name, no pod uses it", () => decides([inTree], [], { FINALIZER: inTree }, "write", inTree));
  test("under the in-tree name, a pod uses it", () =>
    decides([inTree], [web], { FINALIZER: inTree }, "wait", undefined));
  test("with a finalizer of the administrator's", () =>
    decides(["corp.example/keep", ours], [], { FINALIZER: "corp.example/keep" }, "write", "corp.example/keep"));
});

test("the patch names one finalizer by index and value, guarded by uid and resourceVersion", () => {
  const annotated = claim(["a.example/x", ours], { annotations: { [key]: "{}", "corp.example/a": "1" } });
  const decision = decideOne(annotated);
  expect(decision.do === "write" && decision.writes).toEqual([
    {
      verb: "patch",
      kind: expect.objectContaining({ plural: "persistentvolumeclaims" }),
      namespace: "shop",
      name: "data",
      type: "json",
      patch: [
        { op: "test", path: "/metadata/uid", value: "u1" },
        { op: "test", path: "/metadata/resourceVersion", value: "9" },
        { op: "test", path: "/metadata/finalizers/1", value: ours },
        { op: "remove", path: "/metadata/finalizers/1" },
      ],
    },
  ]);
});

test("ours is found among two hundred finalizers", () => {
  const many = Array.from({ length: 200 }, (_, i) => `example.com/f${i}`);
  expect(removed(decideOne(claim([...many, ours])))).toBe(ours);
});

describe("a claim with only Kubernetes' finalizer", () => {
  const subjects = (environment: Record<string, string>) =>
    release.subjects(
      {
        id: "e",
        change: "update",
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        namespace: "shop",
        name: "data",
        object: claim([inTree]),
      },
      settings(environment),
    );

  test.each([["present"], ["overruled"]])("is left alone while Kubernetes' controller runs (%s)", (IN_TREE) =>
    expect(subjects({ IN_TREE, MODE: "document" })).toEqual([]),
  );

  test("is released if Kubernetes' controller is switched off, without the sentence that no pod can start", () => {
    expect(subjects({ IN_TREE: "absent" })).toHaveLength(1);
    const decision = decideOne(claim([inTree]), [], { IN_TREE: "absent" });
    expect(removed(decision)).toBe(inTree);
    expect(decision.message).not.toContain("none can start");
  });
});

test("if the in-tree controller is silent, the advice in document mode is IN_TREE=overruled", () => {
  const decision = decideOne(claim([inTree, ours]), [], { MODE: "document" }, now + 60_000);
  expect(decision.message).toContain("IN_TREE=overruled");
});

test("a claim that was held and waits for the in-tree controller names no pods any more", () => {
  const text = nextProgress(claim([inTree, ours]), release.name, { name: "held" }, "It is held.", now) ?? "";
  const waiting = decideOne(claim([inTree, ours], { annotations: { [key]: text } }));
  expect(waiting).toMatchObject({ do: "wait", step: { name: "after-in-tree" } });
});

describe("a held claim", () => {
  test("says in its annotation and in one Event who holds it", () => {
    const decision = decideOne(claim([ours]), [web]);
    expect(decision).toMatchObject({
      do: "wait",
      message: "Claim data is kept, because pod web-0 on node n0 uses it; it goes when no pod uses it any more.",
      step: { name: "held", details: { pods: [web] } },
    });
  });

  test("names at most five pods and counts the rest", () => {
    const many = Array.from({ length: 8 }, (_, i) => ({ pod: `web-${i}`, node: `n${i}` }));
    const decision = decideOne(claim([ours]), many);
    expect(decision).toMatchObject({ step: { details: { pods: many.slice(0, 5), more: 3 } } });
    expect(decision.message).toContain("pod web-4 on node n4 and 3 more use it");
  });

  test("fits the annotation with the longest names that Kubernetes allows", () => {
    const many = Array.from({ length: 8 }, () => ({ pod: "p".repeat(253), node: "n".repeat(253) }));
    const decision = decideOne(claim([ours], { name: "c".repeat(253) }), []);
    expect(decision.do).toBe("write");
    const wait = release.decide({ claims: [claim([ours])], users: users(...many) }, now, settings())[0];
    if (wait?.do !== "wait" || !wait.step) throw new Error("A wait was expected.");
    expect(nextProgress(claim([ours]), release.name, wait.step, wait.message, now)?.length).toBeLessThanOrEqual(1000);
  });
});

describe("a claim that the in-tree controller does not release", () => {
  test("costs no write in the first minute", () => expect(decideOne(claim([inTree, ours]))).not.toHaveProperty("step"));

  test("says after a minute what to do, on the claim and in a Warning", () => {
    const decision = decideOne(claim([inTree, ours]), [], {}, now + 60_000);
    expect(decision).toMatchObject({
      step: { name: "in-tree-silent" },
    });
    expect(decision.message).toContain("set IN_TREE=absent");
  });
});

describe("subjects", () => {
  const pod = (change: { spec?: object; status?: object; metadata?: object } = {}) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web-0", namespace: "shop", uid: "p1", resourceVersion: "1", ...change.metadata },
    spec: { nodeName: "n0", volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }], ...change.spec },
    status: { phase: "Running", ...change.status },
  });
  const alive = claim([ours], { deletionTimestamp: undefined });

  test.each<[string, Hint, string[] | undefined]>([
    ["a claim being deleted with our finalizer", hint("update", claim([ours])), ["data"]],
    ["a claim of which only the name is known", hint("update", undefined, "PersistentVolumeClaim"), ["x"]],
    ["a claim that the sweep found", hint("sweep", undefined, "PersistentVolumeClaim"), ["x"]],
    ["a pod with a claim that was deleted", hint("delete", pod()), ["data"]],
    ["a pod that finished", hint("update", pod({ status: { phase: "Succeeded" } })), ["data"]],
    ["a pod without a node", hint("update", pod({ spec: { nodeName: undefined } })), ["data"]],
    [
      "a pod with an ephemeral volume that was deleted",
      hint("delete", pod({ spec: { volumes: [{ name: "tmp", ephemeral: {} }] } })),
      ["web-0-tmp"],
    ],
  ])("%s: its claims in the namespace", (_, hint, members) => {
    expect(release.subjects(hint, settings())).toEqual([
      { kind: expect.objectContaining({ kind: "PersistentVolumeClaim" }), namespace: "shop", members },
    ]);
  });

  test("a pod of which only the name is known: the whole namespace", () => {
    expect(release.subjects(hint("delete", undefined), settings())).toEqual([
      { kind: expect.objectContaining({ kind: "PersistentVolumeClaim" }), namespace: "shop" },
    ]);
  });

  test.each<[string, Hint]>([
    ["a running pod's heartbeat", hint("update", pod())],
    [
      "a pod being deleted that still runs",
      hint("update", pod({ metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } })),
    ],
    ["a new pod", hint("add", pod())],
    [
      "a pod without claims that was deleted",
      hint("delete", pod({ spec: { volumes: [{ name: "tmp", emptyDir: {} }] } })),
    ],
    ["a claim that is not being deleted", hint("update", alive)],
    ["a claim being deleted without our finalizer", hint("update", claim([inTree]))],
    ["a claim that is gone", hint("delete", claim([ours]))],
    ["an object of another kind", hint("update", { ...alive, kind: "Node" })],
  ])("%s: none, so there is no call", (_, hint) => expect(release.subjects(hint, settings())).toEqual([]));
});

describe("a claim that the API server does not serve", () => {
  const error = new ApiError("GET", { status: 500, reason: "InternalError", message: "a fault" });
  const going = ["data", "logs"].map((name) => claim([ours], { name, uid: name }));

  /** What is seen of claims that events named, where `broken` cannot be read and the lists are as given. */
  const look = (broken: string, lists: { claims?: "fail"; pods?: "fail" } = {}, members = ["data", "logs"]) => {
    const client = {
      get: async (_kind: unknown, _namespace: unknown, name: string) => {
        if (name === broken) throw error;
        return going.find(({ metadata }) => metadata.name === name);
      },
      async *list({ kind }: { kind: string }) {
        if ((kind === "Pod" ? lists.pods : lists.claims) === "fail") throw error;
        if (kind !== "Pod") yield* going;
      },
    };
    const subject = { kind: PersistentVolumeClaim, namespace: "shop", members };
    return partly(() => release.look(subject, { client, settings: settings() } as never) as Promise<Facts>);
  };
  const names = ({ claims }: Facts) => claims.map(({ metadata }) => metadata.name);

  test("is judged by the list, where that shows it", async () => {
    const { facts, failures } = await look("data");
    expect([names(facts), failures]).toEqual([["data", "logs"], []]);
  });

  test("stops itself only, where it keeps the list from being read", async () => {
    const { facts, failures } = await look("data", { claims: "fail" });
    expect(names(facts)).toEqual(["logs"]);
    expect(failures).toEqual([{ object: { kind: PersistentVolumeClaim, namespace: "shop", name: "data" }, error }]);
    expect(release.decide(facts, now, settings())).toMatchObject([{ do: "write" }]);
  });

  test("fails by itself, where no other one waits", async () => {
    const { facts, failures } = await look("logs", {}, ["logs", "absent"]);
    expect([names(facts), failures]).toMatchObject([[], [{ object: { name: "logs" } }]]);
  });

  test("stops all claims where the pods cannot be listed: who uses them is not known", () =>
    expect(look("none", { pods: "fail" })).rejects.toBe(error));
});

describe("for all facts", () => {
  const finalizers = fc.uniqueArray(fc.constantFrom(inTree, "a.example/x", "b.example/y"), { maxLength: 3 });
  const facts = fc.array(fc.record({ finalizers, used: fc.boolean() }), { maxLength: 6 }).map((rows): Facts => {
    const claims = rows.map(({ finalizers }, i) => claim([...finalizers, ours], { name: `data-${i}`, uid: `u${i}` }));
    return { claims, users: new Map(rows.flatMap(({ used }, i) => (used ? [[`data-${i}`, [web]] as const] : []))) };
  });
  const environment = fc.record({
    IN_TREE: fc.constantFrom("present", "absent"),
    MODE: fc.constantFrom("strict", "document"),
  });

  test("a claim that a pod uses is never written, and ours never leaves before the in-tree finalizer", () => {
    fc.assert(
      fc.property(facts, environment, (facts, environment) => {
        for (const decision of release.decide(facts, now, settings(environment))) {
          const { name, finalizers } = decision.about.metadata;
          if (facts.users.has(name)) expect(decision.do).toBe("wait");
          if (removed(decision) === ours) expect(finalizers).not.toContain(inTree);
          expect([undefined, ours, inTree]).toContain(removed(decision));
        }
      }),
    );
  });

  test("the same facts give the same decisions, one for each claim", () => {
    fc.assert(
      fc.property(facts, environment, (facts, environment) => {
        const decisions = release.decide(facts, now, settings(environment));
        expect(release.decide(facts, now, settings(environment))).toEqual(decisions);
        expect(decisions.map(({ about }) => about.metadata.name)).toEqual(
          facts.claims.map(({ metadata }) => metadata.name),
        );
      }),
    );
  });

  test("with one more pod that uses it, a claim that waits is not released", () => {
    fc.assert(
      fc.property(facts, environment, fc.nat(5), (facts, environment, at) => {
        const name = facts.claims[at]?.metadata.name;
        if (!name) return;
        const more = new Map([...facts.users, [name, [web]]]);
        const before = release.decide(facts, now, settings(environment));
        const after = release.decide({ ...facts, users: more }, now, settings(environment));
        after.forEach((decision, i) => {
          if (before[i]?.do === "wait") expect(decision.do).toBe("wait");
        });
      }),
    );
  });
});
