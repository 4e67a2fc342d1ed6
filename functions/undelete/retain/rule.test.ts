import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Namespace, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { type Changes, claim, done, now, saying, volume } from "../lib/testing/volume.ts";
import { type Facts, retain } from "./rule.ts";
import { settings as schema } from "./settings.ts";

const settings = schema.parse({ mostKept: "1Ti" });
const bound = { phase: "Bound", note: null, policy: "Delete" } as const;
const retained = { phase: "Bound", note: { step: "retained" } } as const;
const overruled = { phase: "Bound", note: { step: "overruled" } } as const;
const left = { phase: "Bound", note: { step: "unkept" }, policy: "Delete" } as const;
const shop = saying("shop");
const keepIt = claim("claim", "pv", "24h");
const nobody = claim("claim", "pv");
const going = claim("claim", "pv", undefined, { deletionTimestamp: "2026-01-01T23:00:00Z" });
const pod = { apiVersion: "v1", kind: "Pod", name: "web-0", uid: "p1", controller: true };
const ephemeral = (keep?: string) => claim("claim", "pv", keep, { name: "web-0-data", ownerReferences: [pod] });
const condemned = claim("claim", "pv", undefined, { name: "data-web-0", ownerReferences: [pod] });
const toRetain = { persistentVolumeReclaimPolicy: "Retain" };
const toDelete = { persistentVolumeReclaimPolicy: "Delete" };

const free = volume(bound);
const owner = { apiVersion: "a.example/v1", kind: "Volume", name: "pv", uid: "v1", controller: true };
const controlled = { ...free, metadata: { ...free.metadata, ownerReferences: [owner] } };

const decide = (facts: Facts) => done(retain.decide([facts], now, settings)[0]);

describe("a bound volume", () => {
  test.each<{ what: string; facts: Facts; does: unknown }>([
    {
      what: "that is to be kept becomes Retain",
      facts: { volume: volume(bound), claim: keepIt, namespace: shop },
      does: { step: "retained", spec: toRetain },
    },
    {
      what: "of a class that says so becomes Retain",
      facts: { volume: volume(bound), claim: nobody, namespace: shop, storageClass: saying("standard", "7d") },
      does: { step: "retained", spec: toRetain },
    },
    {
      what: "that another object controls is left to that",
      facts: { volume: controlled, claim: keepIt, namespace: shop },
      does: "stop",
    },
    {
      what: "of a generic ephemeral volume is left to its pod, whatever namespace and class say",
      facts: { volume: free, claim: ephemeral(), namespace: saying("shop", "24h"), storageClass: saying("fast", "7d") },
      does: undefined,
    },
    {
      what: "whose claim a StatefulSet that scales down has handed to its pod is kept",
      facts: { volume: free, claim: condemned, namespace: saying("shop", "24h") },
      does: { step: "retained", spec: toRetain },
    },
    {
      what: "of a generic ephemeral volume is kept where its claim itself says so",
      facts: { volume: free, claim: ephemeral("24h"), namespace: shop },
      does: { step: "retained", spec: toRetain },
    },
    {
      what: "that nobody wants kept is left alone",
      facts: { volume: volume(bound), claim: nobody, namespace: shop, storageClass: saying("standard") },
      does: undefined,
    },
    {
      what: "that nobody wants kept any more gets its policy back",
      facts: { volume: volume(retained), claim: nobody, namespace: shop, storageClass: saying("standard") },
      does: { spec: toDelete, event: "NotKeptAnyMore" },
    },
    {
      what: "whose claim says none gets its policy back, whatever the namespace says",
      facts: { volume: volume(retained), claim: claim("claim", "pv", "none"), namespace: saying("shop", "24h") },
      does: { spec: toDelete, event: "NotKeptAnyMore" },
    },
    {
      what: "whose claim is going keeps what was promised to it",
      facts: { volume: volume(retained), claim: going, namespace: shop, storageClass: saying("standard") },
      does: undefined,
    },
    {
      what: "whose policy a person has set since is left so, which it says",
      facts: { volume: volume({ ...retained, policy: "Delete" }), claim: keepIt, namespace: shop },
      does: { step: "overruled" },
    },
    {
      what: "that was overruled and is wanted no more keeps the policy that it has",
      facts: { volume: volume(overruled), claim: nobody, namespace: shop, storageClass: saying("standard") },
      does: { event: "NotKeptAnyMore" },
    },
    {
      what: "whose time cannot be read is kept, which it says",
      facts: { volume: volume(bound), claim: claim("claim", "pv", "soon"), namespace: shop },
      does: { step: "retained", spec: toRetain, event: "UnreadableTime" },
    },
    {
      what: "that another claim has by now loses its time",
      facts: {
        volume: volume({
          phase: "Bound",
          ref: { uid: "new" },
          annotations: { "holdfast.dev/reclaim-at": "2026-01-03T00:00:00Z" },
        }),
        claim: claim("new", "pv", "24h"),
        namespace: shop,
      },
      does: { step: "retained", annotations: { "holdfast.dev/reclaim-at": null } },
    },
    {
      what: "that a person has given to another claim keeps the policy of the person, and no other",
      facts: {
        volume: volume({ phase: "Bound", policy: "Delete", ref: { name: "other", uid: "new" } }),
        claim: claim("new", "pv", "24h", { name: "other" }),
        namespace: shop,
      },
      does: { step: "retained", spec: toRetain },
    },
    {
      what: "that a person has given to a claim that nothing keeps is left to reserve",
      facts: {
        volume: volume({ phase: "Bound", ref: { name: "other", uid: "new" } }),
        claim: claim("new", "pv", undefined, { name: "other" }),
        namespace: shop,
      },
      does: undefined,
    },
    {
      what: "that is being deleted is left alone",
      facts: { volume: volume({ ...bound, deleting: true }), claim: keepIt, namespace: shop },
      does: undefined,
    },
  ])("$what", ({ facts, does }) => {
    expect(decide(facts)).toEqual(does);
  });

  test("that was offered and bound by a claim that asks for a snapshot's content says whose data it has", () => {
    const wants = (source: object): typeof keepIt => ({
      ...claim("new", "pv", "24h"),
      spec: { volumeName: "pv", ...source },
    });
    const source = { dataSource: { kind: "VolumeSnapshot", name: "before-upgrade" } };
    const one = (step: "offered" | "retained") => volume({ phase: "Bound", note: { step }, ref: { uid: "new" } });
    const [decision] = retain.decide(
      [{ volume: one("offered"), claim: wants(source), namespace: shop }],
      now,
      settings,
    );
    expect(done(decision)).toMatchObject({ step: "retained", event: "FormerDataBound" });
    expect(decision?.message).toContain("VolumeSnapshot before-upgrade");
    expect(decide({ volume: one("offered"), claim: wants({}), namespace: shop })).not.toHaveProperty("event");
    expect(decide({ volume: one("retained"), claim: wants(source), namespace: shop })).not.toHaveProperty("event");
    const full = { volume: one("offered"), claim: wants(source), namespace: shop, kept: 2 ** 40 };
    const [unkept] = retain.decide([full], now, settings);
    expect(done(unkept)).toMatchObject({ step: "unkept", event: "FormerDataBound" });
    expect(unkept?.message).toContain("VolumeSnapshot before-upgrade");
    // With a new claim, the data would be lost.
    expect(unkept?.message).not.toContain("create it again");
  });

  test.each([
    { what: "is not kept where as much is kept as may be", kept: 2 ** 40, is: bound, does: "unkept", policy: "Delete" },
    {
      what: "loses what was promised to it where that is so",
      kept: 2 ** 40,
      is: retained,
      does: "unkept",
      policy: "Delete",
    },
    { what: "is kept below that", kept: 2 ** 40 - 1, is: bound, does: "retained", policy: "Retain" },
    {
      what: "is kept where a person has set Retain",
      kept: 2 ** 40,
      is: { ...bound, policy: "Retain" },
      does: "retained",
    },
    { what: "that was left out is kept again", kept: 0, is: left, does: "retained", policy: "Retain" },
  ])("that asks to be kept $what", ({ kept, is, does, policy }) => {
    const found = retain.decide([{ volume: volume(is), claim: keepIt, namespace: shop, kept }], now, settings);
    expect(done(found[0])).toMatchObject({
      step: does,
      ...(policy && volume(is).spec.persistentVolumeReclaimPolicy !== policy
        ? { spec: { persistentVolumeReclaimPolicy: policy } }
        : {}),
    });
    const event = found[1] && "event" in found[1] ? found[1].event?.reason : undefined;
    expect(event).toBe(does === "unkept" ? "NamespaceFull" : is === left ? "VolumeKeptAgain" : undefined);
  });

  const deleted = { deletionTimestamp: "2026-01-01T23:00:00Z" };
  const leaving = claim("claim", "pv", "24h", deleted);
  const rebound = { phase: "Bound", note: { step: "offered" }, ref: { uid: "new" } } as const;
  test.each([
    { what: "whose claim is going", is: retained, asks: leaving, home: shop },
    { what: "whose namespace is going", is: retained, asks: keepIt, home: saying("shop", undefined, deleted) },
    { what: "whose next claim is going", is: rebound, asks: claim("new", "pv", "24h", deleted), home: shop },
  ])("$what keeps what was promised to it, however much is kept", ({ is, asks, home }) => {
    const facts = { volume: volume(is), claim: asks, namespace: home, kept: 2 ** 50 };
    const does = decide(facts);
    expect(does).toMatchObject({ step: "retained" });
    expect(does).not.toHaveProperty("spec");
  });

  test("loses what was promised to it only while nobody deletes its claim or its namespace", () => {
    const awaits = (is: ReturnType<typeof volume>) => {
      const [decision] = retain.decide([{ volume: is, claim: keepIt, namespace: shop, kept: 2 ** 40 }], now, settings);
      return (decision?.do === "write" && decision.preconditions) || [];
    };
    const [ofClaim, ofNamespace, ...more] = awaits(volume(retained));
    expect(ofClaim).toMatchObject({ kind: PersistentVolumeClaim, namespace: "shop", name: "data" });
    expect(ofNamespace).toMatchObject({ kind: Namespace, namespace: undefined, name: "shop" });
    expect(more).toEqual([]);
    const lives = [keepIt, leaving, claim("new", "pv", "24h"), undefined];
    expect(lives.map((live) => ofClaim?.holds(live))).toEqual([true, false, false, false]);
    const homes = [shop, saying("shop", undefined, deleted)];
    expect(homes.map((home) => ofNamespace?.holds(home))).toEqual([true, false]);
    // Nothing is taken back where the policy is the same.
    expect([awaits(volume(bound)), awaits(volume(left))]).toEqual([[], []]);
  });

  test.each([
    { text: "36500d", longestKeep: "30d", kept: "30d", warning: undefined },
    { text: "soon", longestKeep: "30d", kept: "30d", warning: "UnreadableTime" },
    { text: "7d", longestKeep: "30d", kept: "7d", warning: undefined },
    { text: "36500d", longestKeep: "none", kept: "36500d", warning: undefined },
    { text: "soon", longestKeep: "none", kept: "soon", warning: "UnreadableTime" },
  ])("that asks for $text is kept $kept where the longest is $longestKeep", ({ text, longestKeep, kept, warning }) => {
    const facts = { volume: volume(bound), claim: claim("claim", "pv", text), namespace: shop };
    const [decision] = retain.decide([facts], now, { ...settings, longestKeep });
    const details = decision?.do === "write" && typeof decision.step === "object" && decision.step.details;
    expect(details).toMatchObject({ for: kept, ...(warning ? { warning } : {}) });
  });

  test("remembers the policy that it had, and that of a person who has set it anew", () => {
    const noted = (one: ReturnType<typeof volume>) => {
      const [decision] = retain.decide([{ volume: one, claim: keepIt, namespace: shop }], now, settings);
      return decision?.do === "write" && typeof decision.step === "object" && decision.step.details?.policy;
    };
    expect(noted(volume(bound))).toBe("Delete");
    expect(noted(volume(retained))).toBe("Delete");
    expect(noted(volume({ ...bound, policy: "Retain" }))).toBe("Retain");
    expect(noted(volume(overruled))).toBe("Retain");
  });

  test("in scope never gets another policy than Retain, whatever else is so", () => {
    const step = fc.constantFrom("retained", "overruled", "kept", "asks", "offered");
    fc.assert(
      fc.property(
        step,
        fc.constantFrom("Delete", "Retain"),
        fc.string(),
        fc.boolean(),
        (step, policy, text, isNoted) => {
          fc.pre(text.trim() !== "none");
          const one = volume({ phase: "Bound", policy, note: isNoted ? { step } : null });
          const result = decide({ volume: one, claim: claim("claim", "pv", text), namespace: shop });
          const spec = typeof result === "object" ? result.spec : undefined;
          expect([undefined, "Retain"]).toContain(
            (spec as { persistentVolumeReclaimPolicy?: string })?.persistentVolumeReclaimPolicy,
          );
        },
      ),
    );
  });
});

test("a volume whose class is missing keeps what a class has promised to it, and nothing else", async () => {
  const objects = new Map<unknown, unknown>([
    [PersistentVolumeClaim, nobody],
    [Namespace, shop],
  ]);
  const client = { get: async (kind: unknown) => objects.get(kind), list: async function* () {} } as never;
  const policyNow = async (by?: "claim" | "namespace" | "class", annotations = {}) => {
    const noted = volume({ phase: "Bound", note: { step: "retained", ...(by ? { by } : {}) } });
    Object.assign(noted.metadata.annotations ?? {}, annotations);
    objects.set(PersistentVolume, noted);
    const facts = await retain.look({ kind: PersistentVolume, name: "pv" }, { client, settings });
    return done(retain.decide(facts, now, settings)[0]);
  };
  const given = { spec: toDelete, event: "NotKeptAnyMore" };
  expect([await policyNow("class"), await policyNow()]).toEqual([undefined, undefined]);
  // A static volume may name a class that there never was.
  expect([await policyNow("claim"), await policyNow("namespace")]).toEqual([given, given]);
  // That of a provisioned one was there, and may have said it as well.
  const provisioned = { "pv.kubernetes.io/provisioned-by": "driver.example" };
  expect(await policyNow("claim", provisioned)).toBeUndefined();
  objects.set(PersistentVolumeClaim, claim("claim", "pv", "none"));
  expect(await policyNow("claim", provisioned)).toEqual(given);
  objects.set(PersistentVolumeClaim, nobody);
  objects.set(StorageClass, saying("standard"));
  expect(await policyNow("class")).toEqual(given);
});

test("the note says who wants the volume kept", () => {
  const by = (facts: Omit<Facts, "volume">) => {
    const [decision] = retain.decide([{ volume: free, ...facts }], now, settings);
    return decision?.do === "write" && typeof decision.step === "object" && decision.step.details?.by;
  };
  const storageClass = saying("standard", "7d");
  expect(by({ claim: keepIt, namespace: saying("shop", "1h"), storageClass })).toBe("claim");
  expect(by({ claim: nobody, namespace: saying("shop", "1h"), storageClass })).toBe("namespace");
  expect(by({ claim: nobody, namespace: shop, storageClass })).toBe("class");
});

describe("subjects", () => {
  const hint = (kind: string, object?: object, namespace?: string) =>
    retain.subjects(
      { id: "1", change: "update", kind, apiVersion: "v1", name: "x", namespace, object } as never,
      settings,
    );
  const claimIn = (phase: string) => ({ ...claim("claim", "pv"), status: { phase } });

  test("a claim concerns its volume once Kubernetes has bound it, and a volume that carries no note nobody", () => {
    expect(hint("PersistentVolumeClaim", claimIn("Bound"), "shop")).toMatchObject([{ name: "pv" }]);
    expect(hint("PersistentVolumeClaim", claimIn("Pending"), "shop")).toEqual([]);
    expect(hint("PersistentVolume", volume(bound))).toEqual([]);
    expect(hint("PersistentVolume")).toMatchObject([{ name: "x" }]);
  });

  test("a bound volume is looked at where it is not as it was noted", () => {
    const isLooked = (changes: Changes) => hint("PersistentVolume", volume(changes)).length > 0;
    expect(isLooked(retained)).toBe(false);
    expect(isLooked({ ...overruled, policy: "Delete" })).toBe(false);
    expect(isLooked({ ...retained, policy: "Delete" })).toBe(true);
    expect(isLooked(overruled)).toBe(true);
    expect(isLooked({ ...retained, ref: { uid: "new" } })).toBe(true);
    expect(isLooked({ ...retained, note: { step: "offered" } })).toBe(true);
    expect(isLooked({ ...retained, phase: "Released" })).toBe(false);
  });
});

describe("look", () => {
  test("reads each claim once, namespaces and the class once for all, and few at the same time", async () => {
    const names = Array.from({ length: 500 }, (_, index) => `pv-${index}`);
    const read: string[] = [];
    let [inFlight, most] = [0, 0];
    const client = {
      async *list() {
        for (const name of names) {
          const ref = { namespace: `shop-${name.at(-1)}`, name, uid: name };
          const { metadata, ...rest } = volume({ ...bound, name });
          yield { ...rest, metadata, spec: { ...rest.spec, storageClassName: "fast", claimRef: ref } };
        }
      },
      async get({ kind }: { kind: string }, _namespace: string | undefined, name: string) {
        read.push(kind === "PersistentVolumeClaim" ? kind : `${kind} ${name}`);
        most = Math.max(most, ++inFlight);
        await setImmediate();
        inFlight--;
        return kind === "PersistentVolumeClaim" ? claim(name, name, undefined, { name }) : saying(name, undefined);
      },
    };
    const facts = await retain.look({ kind: StorageClass, name: "fast" }, { client, settings } as never);
    expect(facts).toHaveLength(500);
    expect(facts[0]).toMatchObject({
      namespace: { metadata: { name: "shop-0" } },
      storageClass: { metadata: { name: "fast" } },
    });
    const namespaces = Array.from({ length: 10 }, (_, index) => `Namespace shop-${index}`);
    // In this order: whoever moves the annotation to something wider writes it there first.
    expect(read).toEqual([...names.map(() => "PersistentVolumeClaim"), ...namespaces, "StorageClass fast"]);
    expect(most).toBe(16);
  });
});

test("says at an uninstall which volumes stay Retain that were not", () => {
  const isOn = (changes: Changes) => retain.leavesBehind?.some((left) => left.isOn(volume(changes)));
  expect(isOn(retained)).toBe(true);
  expect(isOn({ ref: null })).toBe(true);
  expect(isOn(bound)).toBe(false);
  expect(isOn({ ...overruled, policy: "Delete" })).toBe(false);
  expect(isOn({ note: { step: "retained", policy: "Retain" } })).toBe(false);
});
