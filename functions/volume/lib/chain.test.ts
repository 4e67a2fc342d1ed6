import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { takerOf } from "../../../shared/chain/chain.ts";
import type { Decision } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { addFinalizer } from "../add-finalizer/rule.ts";
import { deletePv } from "../delete-pv/rule.ts";
import { newJob, readJob } from "../run-job/job-note.ts";
import { runJob } from "../run-job/rule.ts";
import {
  anyFacts,
  jid,
  now,
  otherUid,
  type PersistentVolumeOptions,
  persistentVolume,
  seenOf,
  storageClass,
  type VolumeOptions,
  volume,
  written,
} from "../testing/objects.ts";
import { creation, deletion, isAtStepOf, isInUse, storageChain, volumeStep } from "./chain.ts";
import type { ChainFacts } from "./look.ts";
import { isUnused } from "./persistent-volume.ts";
import { abandonStorage } from "./vanished-node.ts";
import { hasFailedForGood, volumeFinalizer } from "./volume.ts";

type Row = [string, VolumeOptions, PersistentVolumeOptions | undefined, ReturnType<typeof volumeStep>];
const running = (step: string) => `${step}/${jid}`;
const preparing = { phase: "Pending", job: running("PrepareVolume") } as const;
const unavailable = { phase: "Failed", reason: "UnavailableError" } as const;
const available = { phase: "Available", job: "" } as const;
const taken = { owner: otherUid, path: `/dev/disk/by-uuid/${otherUid}` };

describe("from a Volume to a PersistentVolume", () => {
  test.each<Row>([
    ["new", { finalizers: [] }, undefined, undefined],
    ["refused", { finalizers: [], phase: "Failed", reason: "InternalError" }, undefined, undefined],
    ["accepted", {}, undefined, "prepare"],
    ["waiting for a class", { phase: "Pending" }, undefined, "prepare"],
    ["being prepared", preparing, undefined, "publish"],
    ["prepared by MetalK8s", { phase: "Pending", job: "PrepareVolume/DONE" }, undefined, "prepare"],
    ["being asked for by MetalK8s", { phase: "Pending", job: running("GetDeviceInfo") }, undefined, "prepare"],
    ["published, and not said so", { phase: "Pending", job: running("GetDeviceInfo") }, {}, "publish"],
    ["published by a run that overtook the first job", preparing, {}, "publish"],
    ["available", available, {}, undefined],
    ["available with a job that Salt has not begun", { ...preparing, phase: "Available" }, {}, "publish"],
    ["available, its PersistentVolume gone", available, undefined, "prepare"],
    ["available, its PersistentVolume without owner", available, { owner: null }, undefined],
    ["available, another's PersistentVolume in its place", available, taken, "prepare"],
    ["its status wiped", {}, {}, "publish"],
    ["failed", { phase: "Failed", reason: "CreationError", job: running("PrepareVolume") }, undefined, undefined],
    ["failed with its PersistentVolume", { ...unavailable, job: "" }, {}, undefined],
    ["failed with its PersistentVolume, which is gone", unavailable, undefined, "prepare"],
    ["with a job to take back that no deletion asked for", { job: running("UnprepareVolume") }, undefined, "prepare"],
  ])("%s: %j", (_, options, pv, expected) => {
    const facts = { volume: volume(options), persistentVolume: pv && persistentVolume(pv) };
    expect(volumeStep(facts)).toBe(expected);
  });
});

describe("from a deletion to a node that has its storage back", () => {
  const finalizers = ["storage.metalk8s.scality.com/volume-protection"];
  const unused = { deleting: true, finalizers };
  const leadsTo = (options: Row[1], pv: Row[2], expected: Row[3]) => {
    const facts = { volume: volume({ deleting: true, ...options }), persistentVolume: pv && persistentVolume(pv) };
    expect(volumeStep(facts)).toBe(expected);
  };
  test("before anything was begun", () => leadsTo({}, undefined, "reclaim"));
  test("while it is prepared", () => leadsTo(preparing, undefined, "await-job"));
  test("while it is prepared and published at once", () => leadsTo(preparing, {}, "await-job"));
  test("while the node is asked", () =>
    leadsTo({ phase: "Pending", job: running("GetDeviceInfo") }, undefined, "reclaim"));
  test("after it has failed", () =>
    leadsTo({ phase: "Failed", reason: "CreationError", job: running("PrepareVolume") }, undefined, "reclaim"));
  test("when it is available", () => leadsTo({ phase: "Available" }, {}, "delete-pv"));
  test("when it is bound", () => leadsTo({ phase: "Available" }, { phase: "Bound", deleting: true }, "delete-pv"));
  test("when it is bound and without owner", () =>
    leadsTo({ phase: "Available" }, { phase: "Bound", owner: null }, "delete-pv"));
  test("when it is bound without Kubernetes' finalizer", () =>
    leadsTo({ phase: "Available" }, { ...unused, phase: "Bound" }, "delete-pv"));
  test("when it is just being bound", () =>
    leadsTo({ phase: "Available" }, { ...unused, claim: { namespace: "shop", name: "data", uid: "c1" } }, "delete-pv"));
  test("when it is reserved for a claim that is not there", () =>
    leadsTo({ phase: "Available" }, { ...unused, claim: { namespace: "shop", name: "data" } }, "reclaim"));
  test("when its phase is not known", () => leadsTo({ phase: "Available" }, { ...unused, phase: "" }, "delete-pv"));
  test("when Kubernetes still protects it", () =>
    leadsTo({ phase: "Available" }, { deleting: true, phase: "Released" }, "delete-pv"));
  test("when it is released", () => leadsTo({ phase: "Available" }, { ...unused, phase: "Released" }, "reclaim"));
  test("when another's PersistentVolume has its name", () =>
    leadsTo({ phase: "Pending" }, { ...taken, phase: "Bound" }, "reclaim"));
  test("while it is taken back", () =>
    leadsTo({ phase: "Terminating", job: running("UnprepareVolume") }, unused, "await-job"));
  test("after that has failed", () =>
    leadsTo({ phase: "Failed", reason: "DestructionError", job: running("UnprepareVolume") }, unused, "await-job"));
  test("when it is taken back", () =>
    leadsTo({ phase: "Terminating", job: "UnprepareVolume/DONE" }, unused, "release"));
  test("when only others hold it", () => leadsTo({ finalizers: ["a.example/x"] }, undefined, undefined));
});

test("the README lists the steps, in their order, and the rule of each", () => {
  const text = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const section = text.slice(text.indexOf("## The chain"), text.indexOf("## A job"));
  const listed = [...section.matchAll(/^\| ([a-z][a-z-]+) +\| ([a-z-]+) +\|/gm)].map(([, step, rule]) => [step, rule]);
  expect(listed).toEqual([...creation, ...deletion].map((step) => [step.name, takerOf(step)]));
});

describe("of a node that is gone, a Volume that is to go", () => {
  const given = { [abandonStorage]: "n0" };
  test.each<Row>([
    ["waits", { phase: "Available" }, undefined, "reclaim"],
    ["waits with its job", { phase: "Pending", job: running("PrepareVolume") }, undefined, "await-job"],
    ["goes when its storage is given up", { phase: "Available", annotations: given }, undefined, "release"],
    ["goes so with its job", { job: running("UnprepareVolume"), annotations: given }, undefined, "release"],
    ["does not go so while it is bound", { phase: "Available", annotations: given }, { phase: "Bound" }, "delete-pv"],
    [
      "does not go for another node's sake",
      { phase: "Available", annotations: { [abandonStorage]: "n1" } },
      undefined,
      "reclaim",
    ],
    ["goes when nothing was ever begun for it", { phase: "Pending" }, undefined, "release"],
    ["goes when it has no status yet", {}, undefined, "release"],
    ["waits when it has had a device", { phase: "Pending", job: "", deviceName: "loop3" }, undefined, "reclaim"],
    ["waits when its storage was made", { phase: "Pending", job: "PrepareVolume/DONE" }, undefined, "reclaim"],
    ["waits when it was published", { phase: "Pending" }, { deleting: true, finalizers: [] }, "reclaim"],
  ])("%s: %j", (_, options, pv, expected) => {
    const facts = { volume: volume({ deleting: true, ...options }), persistentVolume: pv && persistentVolume(pv) };
    expect(volumeStep({ ...facts, nodeIsGone: true })).toBe(expected);
  });
});

describe("in every state", () => {
  /** What each rule of the chain decides, with all that it may look for. */
  const decisions = (facts: ChainFacts): Readonly<Record<string, readonly Decision[]>> => {
    const { volume } = facts;
    const isNew = ["prepare", "reclaim"].includes(volumeStep(facts) ?? "");
    const step = isBeingDeleted(volume) ? "UnprepareVolume" : "PrepareVolume";
    const seen = { of: "node", answers: true } as const;
    const job = isNew ? newJob : readJob(volume);
    const work = { storageClass, step, job, seen } as const;
    return {
      "add-finalizer": addFinalizer.decide(volume, now, {}),
      "run-job": runJob.decide({ seen: seenOf(facts), work }, now, {}),
      "delete-pv": deletePv.decide({ seen: seenOf(facts) }, now, {}),
    };
  };

  test("the rule of the step acts, and no other of the chain", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { volume } = facts;
        const isNew = !isBeingDeleted(volume) && !hasFinalizer(volume, volumeFinalizer) && !hasFailedForGood(volume);
        const takers = new Set(storageChain.steps.map(takerOf));
        const expected = [
          ...(isNew ? ["add-finalizer"] : []),
          ...[...takers].filter((rule) => isAtStepOf(rule, facts)),
        ];
        const acts = ({ do: act, ...rest }: Decision) => act !== "leave" && !(act === "wait" && !("step" in rest));
        const acting = Object.entries(decisions(facts)).filter(([, list]) => list.some(acts));
        expect(acting.map(([name]) => name)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test("deciding is repeatable", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(decisions(facts)).toEqual(decisions(facts));
      }),
    );
  });

  test("storage is taken back, and finalizers leave, only of a Volume that is going and that no claim uses", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const [begun] = decisions(facts)["run-job"] ?? [];
        const isReclaim = begun?.do === "call" && written(begun).includes("UnprepareVolume/");
        const [released] = decisions(facts)["delete-pv"] ?? [];
        const letsGo = released?.do === "write" && written(released).includes("finalizers");
        if (!isReclaim && !letsGo) return;
        expect(isBeingDeleted(facts.volume)).toBe(true);
        expect(isInUse(facts)).toBe(false);
        const pv = facts.persistentVolume;
        if (letsGo && pv && released.writes.some(({ kind }) => kind.kind === "PersistentVolume"))
          expect(isUnused(pv)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("a Volume becomes available only together with its PersistentVolume", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        for (const list of Object.values(decisions(facts)))
          for (const decision of list) {
            const writes = "writes" in decision ? (decision.writes ?? []) : [];
            const makes = writes.some(({ verb }) => verb === "create") || facts.persistentVolume !== undefined;
            if (JSON.stringify(writes).includes('"phase":"Available"')) expect(makes).toBe(true);
          }
      }),
      { numRuns: 2000 },
    );
  });
});
