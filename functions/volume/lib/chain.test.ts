import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { accept } from "../accept/rule.ts";
import { prepare } from "../prepare/rule.ts";
import { publish } from "../publish/rule.ts";
import { reclaim } from "../reclaim/rule.ts";
import { retire } from "../retire/rule.ts";
import { settle } from "../settle/rule.ts";
import {
  anyFacts,
  inputOf,
  jid,
  now,
  otherUid,
  type PersistentVolumeOptions,
  persistentVolume,
  type VolumeOptions,
  volume,
} from "../testing/objects.ts";
import { type ChainFacts, type ChainStep, chains, isInUse, stepOf } from "./chain.ts";
import { isUnused } from "./persistent-volume.ts";

type Row = [string, VolumeOptions, PersistentVolumeOptions | undefined, ChainStep | undefined];
const running = (step: string) => `${step}/${jid}`;
const taken = { owner: otherUid, path: `/dev/disk/by-uuid/${otherUid}` };

describe("from a Volume to a PersistentVolume", () => {
  test.each<Row>([
    ["new", { finalizers: [] }, undefined, "accept"],
    ["refused", { finalizers: [], phase: "Failed", reason: "InternalError" }, undefined, undefined],
    ["accepted", {}, undefined, "prepare"],
    ["waiting for a class", { phase: "Pending" }, undefined, "prepare"],
    ["being prepared", { phase: "Pending", job: running("PrepareVolume") }, undefined, "settle"],
    ["prepared", { phase: "Pending", job: "PrepareVolume/DONE" }, undefined, "publish"],
    ["being asked for", { phase: "Pending", job: running("GetDeviceInfo") }, undefined, "publish"],
    ["asked for", { phase: "Pending", job: "GetDeviceInfo/DONE" }, undefined, "publish"],
    ["published, and not said so", { phase: "Pending", job: running("GetDeviceInfo") }, {}, "publish"],
    [
      "published by a run that overtook the first job",
      { phase: "Pending", job: running("PrepareVolume") },
      {},
      "publish",
    ],
    ["available", { phase: "Available", job: "" }, {}, undefined],
    [
      "available with a job that nobody has begun",
      { phase: "Available", job: running("PrepareVolume") },
      {},
      "publish",
    ],
    ["available, its PersistentVolume gone", { phase: "Available", job: "" }, undefined, "prepare"],
    ["available, its PersistentVolume without owner", { phase: "Available", job: "" }, { owner: null }, undefined],
    ["available, another's PersistentVolume in its place", { phase: "Available", job: "" }, taken, "prepare"],
    ["its status wiped", {}, {}, "publish"],
    ["failed", { phase: "Failed", reason: "CreationError", job: running("PrepareVolume") }, undefined, undefined],
    ["failed with its PersistentVolume", { phase: "Failed", reason: "UnavailableError", job: "" }, {}, undefined],
    [
      "failed with its PersistentVolume, which is gone",
      { phase: "Failed", reason: "UnavailableError" },
      undefined,
      "prepare",
    ],
    ["with a job to take back that no deletion asked for", { job: running("UnprepareVolume") }, undefined, "prepare"],
  ])("%s: %j", (_, options, pv, expected) => {
    const facts = { volume: volume(options), persistentVolume: pv && persistentVolume(pv) };
    expect(stepOf(facts)).toBe(expected);
  });
});

describe("from a deletion to a node that has its storage back", () => {
  const finalizers = ["storage.metalk8s.scality.com/volume-protection"];
  const unused = { deleting: true, finalizers };
  test.each<Row>([
    ["before anything was begun", {}, undefined, "reclaim"],
    ["while it is prepared", { phase: "Pending", job: running("PrepareVolume") }, undefined, "settle"],
    ["while it is prepared and published at once", { phase: "Pending", job: running("PrepareVolume") }, {}, "settle"],
    ["while the node is asked", { phase: "Pending", job: running("GetDeviceInfo") }, undefined, "reclaim"],
    [
      "after it has failed",
      { phase: "Failed", reason: "CreationError", job: running("PrepareVolume") },
      undefined,
      "reclaim",
    ],
    ["when it is available", { phase: "Available" }, {}, "retire"],
    ["when it is bound", { phase: "Available" }, { phase: "Bound", deleting: true }, "retire"],
    ["when it is bound and without owner", { phase: "Available" }, { phase: "Bound", owner: null }, "retire"],
    ["when it is bound without Kubernetes' finalizer", { phase: "Available" }, { ...unused, phase: "Bound" }, "retire"],
    [
      "when it is just being bound",
      { phase: "Available" },
      { ...unused, claim: { namespace: "shop", name: "data", uid: "c1" } },
      "retire",
    ],
    [
      "when it is reserved for a claim that is not there",
      { phase: "Available" },
      { ...unused, claim: { namespace: "shop", name: "data" } },
      "reclaim",
    ],
    ["when its phase is not known", { phase: "Available" }, { ...unused, phase: "" }, "retire"],
    ["when Kubernetes still protects it", { phase: "Available" }, { deleting: true, phase: "Released" }, "retire"],
    ["when it is released", { phase: "Available" }, { ...unused, phase: "Released" }, "reclaim"],
    ["when another's PersistentVolume has its name", { phase: "Pending" }, { ...taken, phase: "Bound" }, "reclaim"],
    ["while it is taken back", { phase: "Terminating", job: running("UnprepareVolume") }, unused, "settle"],
    [
      "after that has failed",
      { phase: "Failed", reason: "DestructionError", job: running("UnprepareVolume") },
      unused,
      "settle",
    ],
    ["when it is taken back", { phase: "Terminating", job: "UnprepareVolume/DONE" }, unused, "reclaim"],
    ["when only others hold it", { finalizers: ["a.example/x"] }, undefined, undefined],
  ])("%s: %j", (_, options, pv, expected) => {
    const facts = { volume: volume({ deleting: true, ...options }), persistentVolume: pv && persistentVolume(pv) };
    expect(stepOf(facts)).toBe(expected);
  });
});

test("the README lists the steps of both chains, in their order", () => {
  const text = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const section = text.slice(text.indexOf("## The chain"), text.indexOf("## A job"));
  const listed = [...section.matchAll(/^\| ([a-z]+) +\|/gm)].map(([, step]) => step);
  expect(listed).toEqual([...chains.creation, ...chains.deletion].map(({ step }) => step));
});

describe("whatever the state", () => {
  /** What each rule of the chain decides, with all that it may look for. */
  const decisions = ({ volume, persistentVolume }: ChainFacts): Readonly<Record<string, readonly Decision[]>> => {
    const facts = { volume, persistentVolume };
    const input = inputOf(volume);
    const settings = { saltenv: "" };
    const seen = { record: { state: "pending" }, whereabouts: "running" } as const;
    return {
      accept: accept.decide(volume, now, {}),
      prepare: prepare.decide({ ...facts, job: input }, now, settings),
      settle: settle.decide({ ...facts, input, seen }, now, settings),
      publish: publish.decide({ ...facts, input, seen }, now, settings),
      retire: retire.decide(facts, now, {}),
      reclaim: reclaim.decide({ ...facts, job: input }, now, settings),
    };
  };

  test("the rule of the step acts, and no other of the chain", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const step = stepOf(facts);
        const acting = Object.entries(decisions(facts)).filter(([, list]) => list.some((each) => each.do !== "leave"));
        expect(acting.map(([name]) => name)).toEqual(step === undefined ? [] : [step]);
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

  test("storage is taken back, and finalizers leave, only of a Volume that is going and that nobody uses", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const [decision] = decisions(facts).reclaim ?? [];
        if (decision?.do !== "call" && decision?.do !== "write") return;
        expect(isBeingDeleted(facts.volume)).toBe(true);
        expect(isInUse(facts)).toBe(false);
        const pv = facts.persistentVolume;
        if (pv && decision.do === "write" && decision.writes.some(({ kind }) => kind.kind === "PersistentVolume"))
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
