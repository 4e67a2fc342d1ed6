import fc from "fast-check";
import { expect, test } from "vitest";
import { expire } from "../../functions/undelete/expire/rule.ts";
import type { Note } from "../../functions/undelete/lib/note.ts";
import { claim, now, saying, volume } from "../../functions/undelete/lib/testing/volume.ts";
import { reserve } from "../../functions/undelete/reserve/rule.ts";
import { retain } from "../../functions/undelete/retain/rule.ts";
import { mergePatch } from "../../local/apiserver/patch/merge-patch.ts";
import { compile } from "../../local/apiserver/policy/expression.ts";
import type { Decision } from "../../shared/decision.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { type PlannedRule, plan } from "../../shared/pipeline/plan.ts";
import type { Volume } from "../../shared/storage/volume.ts";

const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const uid = fc.constantFrom("claim", "later", "former");
const policy = fc.constantFrom("Retain", "Delete", "Recycle");
const going = maybe(fc.constant("2026-01-01T23:00:00Z"));

/** Volumes as people, other programs and a phase that comes late may leave them. */
const volumes: fc.Arbitrary<Volume> = fc
  .record({
    more: fc.record({ policy, phase: fc.constantFrom("Bound", "Released", "Available") }),
    note: fc.record({
      step: fc.constantFrom<Note["step"]>("retained", "overruled", "unkept", "kept", "asks", "offered"),
      policy: policy as fc.Arbitrary<Note["policy"]>,
      for: fc.constantFrom("24h", "soon", '","policy":"Recycle","uid":"forged"'),
      claim: uid.map((one) => ({ namespace: "shop", name: "data", uid: one })),
    }),
    isOfAnother: fc.nat({ max: 4 }).map((one) => one === 0),
    reserved: maybe(uid),
    due: maybe(fc.constantFrom("2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "tomorrow")),
    offer: maybe(fc.constantFrom("yes", "no")),
    label: maybe(uid),
  })
  .map(({ more, note, isOfAnother, reserved, due, offer, label }) => {
    const annotations = {
      ...(due ? { "holdfast.dev/reclaim-at": due } : {}),
      ...(offer ? { "holdfast.dev/offer": offer } : {}),
    };
    const { metadata, ...rest } = volume({ ...more, note, annotations });
    const labels = { "holdfast.dev/volume-of": "shop", ...(label ? { "holdfast.dev/offered-of": label } : {}) };
    const claimRef = { namespace: "shop", name: "data", ...(reserved ? { uid: reserved, resourceVersion: "3" } : {}) };
    // A note that another program has copied there counts as none.
    return {
      ...rest,
      metadata: { ...metadata, ...(isOfAnother ? { uid: "restored" } : {}), labels },
      spec: { ...rest.spec, claimRef },
    };
  });

const claims = fc
  .tuple(uid, maybe(fc.constantFrom("pv", "other")), maybe(fc.constantFrom("24h", "none")), going)
  .map(([one, name, keep, deletionTimestamp]) =>
    claim(one, name, keep, deletionTimestamp ? { deletionTimestamp } : {}),
  );

const namespaces = fc
  .tuple(fc.constantFrom("shop", "new"), maybe(fc.constant("24h")), going)
  .map(([one, keep, deletionTimestamp]) =>
    saying("shop", keep, { uid: one, ...(deletionTimestamp ? { deletionTimestamp } : {}) }),
  );

/** What each write that decisions come to breaks of what their rule declares. */
function broken(rule: PlannedRule, decisions: readonly Decision[], oldObject: Volume): readonly string[][] {
  const { bounds = [] } = rule.permissions?.find(({ resource }) => resource === PersistentVolume) ?? {};
  const operations = decisions.flatMap((decision) => plan(rule, decision, now).operations);
  const writes = operations.flatMap((operation) => (operation.do === "write" ? operation.writes : []));
  return writes.flatMap((write) => {
    if (write.verb !== "patch" || write.kind !== PersistentVolume) return [];
    const object = mergePatch(oldObject, write.patch);
    return [bounds.filter(({ cel }) => compile(cel)({ object, oldObject }) !== true).map(({ says }) => says)];
  });
}

// Each patch is guarded by the resourceVersion: what the function has read is what the policy sees.
test("no policy refuses what the rules of undelete decide, in any state of a volume", () => {
  const writes = { reserve: 0, expire: 0, retain: 0 };
  const isTaken = (rule: keyof typeof writes, found: readonly string[][]) => {
    writes[rule] += found.length;
    expect(found.flat()).toEqual([]);
  };
  const otherNamespace = fc.constantFrom("ask", "always", "never");
  fc.assert(
    fc.property(
      volumes,
      maybe(claims),
      maybe(namespaces),
      otherNamespace,
      fc.boolean(),
      (one, of, home, other, isFull) => {
        const all = { namespace: home, volumes: [one], claims: new Map(of ? [["data", of]] : []) };
        isTaken("reserve", broken(reserve, reserve.decide(all, now, { otherNamespace: other }), one));
        isTaken("expire", broken(expire, expire.decide({ volume: one, claim: of }, now, {}), one));
        if (!of || !home || of.metadata.uid !== one.spec.claimRef?.uid) return;
        const reached = isFull ? { kept: 1, most: 0, setBy: "a quota does", raise: "raise it" } : undefined;
        const settings = { longestKeep: "30d", mostKept: "quota", claimAnnotation: "heeded" } as const;
        const bound = [{ volume: one, claim: of, namespace: home, reached }];
        isTaken("retain", broken(retain, retain.decide(bound, now, settings), one));
      },
    ),
    { numRuns: 3000 },
  );
  expect(Math.min(...Object.values(writes))).toBeGreaterThan(20);
});
