import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import { Namespace, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { partly } from "../../../shared/look-at-each.ts";
import { runOn } from "../lib/testing/run-on.ts";
import { type Changes, claim, done, now, saying, volume } from "../lib/testing/volume.ts";
import { type Facts, retain } from "./rule.ts";
import { settings as schema } from "./settings.ts";

const settings = schema.parse({ mostKept: "1Ti" });
const limit = { most: 2 ** 40, setBy: "MOST_KEPT is 1Ti", raise: "raise MOST_KEPT" };
const full = { reached: { ...limit, kept: 2 ** 40 } };
const bound = { phase: "Bound", note: null, policy: "Delete" } as const;
const retained = { phase: "Bound", note: { step: "retained" } } as const;
const overruled = { phase: "Bound", note: { step: "overruled" } } as const;
const left = { phase: "Bound", note: { step: "unkept" }, policy: "Delete" } as const;
const shop = saying("shop");
const keepIt = claim("claim", "pv", "24h");
const silentClaim = claim("claim", "pv");
const going = claim("claim", "pv", undefined, { deletionTimestamp: "2026-01-01T23:00:00Z" });
const pod = { apiVersion: "v1", kind: "Pod", name: "web-0", uid: "p1", controller: true };
const ephemeral = (keep?: string) => claim("claim", "pv", keep, { name: "web-0-data", ownerReferences: [pod] });
const condemned = claim("claim", "pv", undefined, { name: "data-web-0", ownerReferences: [pod] });
const toRetain = { persistentVolumeReclaimPolicy: "Retain" };
const toDelete = { persistentVolumeReclaimPolicy: "Delete" };
const notAnyMore = { spec: toDelete, event: "NotKeptAnyMore" };
const silentClass = { storageClass: saying("standard") };

const free = volume(bound);
const owner = { apiVersion: "a.example/v1", kind: "Volume", name: "pv", uid: "v1", controller: true };
const controlled = { ...free, metadata: { ...free.metadata, ownerReferences: [owner] } };

const decideOne = (facts: Facts) => retain.decide([facts], now, settings)[0];
const decide = (facts: Facts) => done(decideOne(facts));
const detailsOf = (decision: ReturnType<typeof decideOne>) =>
  decision?.do === "write" && typeof decision.step === "object" ? decision.step.details : undefined;

describe("a bound volume", () => {
  const kept = { step: "retained", spec: toRetain };
  const does = (volume: Facts["volume"], claim: Facts["claim"], expected: unknown, more: Partial<Facts> = {}) =>
    expect(decide({ volume, claim, namespace: shop, ...more })).toEqual(expected);
  test("that is to be kept becomes Retain", () => does(volume(bound), keepIt, kept));
  test("whose class asks for it becomes Retain", () =>
    does(volume(bound), silentClaim, kept, { storageClass: saying("standard", "7d") }));
  test("that another object controls is left to that object", () => does(controlled, keepIt, "stop"));
  test("of a generic ephemeral volume is left to its pod, also if namespace and class ask to keep it", () =>
    does(free, ephemeral(), undefined, { namespace: saying("shop", "24h"), storageClass: saying("fast", "7d") }));
  test("whose claim a StatefulSet that scales down has handed to its pod is kept", () =>
    does(free, condemned, kept, { namespace: saying("shop", "24h") }));
  test("of a generic ephemeral volume is kept if its own claim asks for it", () => does(free, ephemeral("24h"), kept));
  test("that no annotation asks to keep is left alone", () => does(volume(bound), silentClaim, undefined, silentClass));
  test("whose claim says `none` gets its policy back, also if the namespace asks to keep it", () =>
    does(volume(retained), claim("claim", "pv", "none"), notAnyMore, { namespace: saying("shop", "24h") }));
  test("whose claim is being deleted stays kept", () => does(volume(retained), going, undefined, silentClass));
  test("whose namespace is being deleted stays kept", () => {
    const namespace = saying("shop", undefined, { deletionTimestamp: "2026-01-01T23:00:00Z" });
    does(volume(retained), silentClaim, undefined, { namespace, ...silentClass });
  });
  test("whose policy a person has changed keeps that policy, and says so", () =>
    does(volume({ ...retained, policy: "Delete" }), keepIt, { step: "overruled" }));
  test("whose policy a person has changed keeps it when no annotation asks to keep the volume any more", () =>
    does(volume(overruled), silentClaim, { event: "NotKeptAnyMore" }, silentClass));
  test("whose time is unreadable is kept, and says so", () =>
    does(volume(bound), claim("claim", "pv", "soon"), { ...kept, event: "UnreadableTime" }));
  test("that another claim has got meanwhile loses its time", () => {
    const annotations = { "holdfast.dev/reclaim-at": "2026-01-03T00:00:00Z" };
    const expected = { step: "retained", annotations: { "holdfast.dev/reclaim-at": null } };
    does(volume({ phase: "Bound", ref: { uid: "new" }, annotations }), claim("new", "pv", "24h"), expected);
  });
  const ofOther = { phase: "Bound", ref: { name: "other", uid: "new" } } as const;
  test("that a person has reserved for another claim becomes Retain if that claim asks to keep it", () =>
    does(volume({ ...ofOther, policy: "Delete" }), claim("new", "pv", "24h", { name: "other" }), kept));
  test("that a person has reserved for a claim that does not ask to keep it is left to reserve", () =>
    does(volume(ofOther), claim("new", "pv", undefined, { name: "other" }), undefined));
  test("that is being deleted is left alone", () => does(volume({ ...bound, deleting: true }), keepIt, undefined));

  test.each([
    { of: "Content", apiGroup: "a.example", policy: "Delete" },
    { of: "VolumeSnapshot", apiGroup: "snapshot.storage.k8s.io", policy: "Retain" },
    { of: "PersistentVolumeClaim", apiGroup: undefined, policy: "Retain" },
  ])(
    "that is handed to a claim with the source $of has the former policy $policy",
    ({ of: kind, apiGroup, policy }) => {
      const source = { dataSourceRef: { ...(apiGroup ? { apiGroup } : {}), kind, name: "seed" } };
      const target = (keep?: string) => ({
        ...claim("new", "pv", keep, { name: "target" }),
        spec: { volumeName: "pv", ...source },
      });
      const handed = volume({ ...retained, ref: { name: "target", uid: "new" } });
      const kept = decideOne({ volume: handed, claim: target("24h"), namespace: shop });
      expect(detailsOf(kept)).toMatchObject({ policy, claim: { name: "target", uid: "new" } });
      const classless = { ...handed, spec: { ...handed.spec, storageClassName: "" } };
      const left = decideOne({ volume: classless, claim: target(), namespace: shop });
      expect(done(left)).toEqual(policy === "Delete" ? notAnyMore : { event: "GivenToAnother" });
    },
  );

  test("that was offered and is bound by a claim with a snapshot as its source says whose data it has", () => {
    const wants = (source: object): typeof keepIt => ({
      ...claim("new", "pv", "24h"),
      spec: { volumeName: "pv", ...source },
    });
    const source = { dataSource: { kind: "VolumeSnapshot", name: "before-upgrade" } };
    const one = (step: "offered" | "retained") => volume({ phase: "Bound", note: { step }, ref: { uid: "new" } });
    const decision = decideOne({ volume: one("offered"), claim: wants(source), namespace: shop });
    expect(done(decision)).toMatchObject({ step: "retained", event: "FormerDataBound" });
    expect(decision?.message).toContain("VolumeSnapshot before-upgrade");
    expect(decide({ volume: one("offered"), claim: wants({}), namespace: shop })).not.toHaveProperty("event");
    expect(decide({ volume: one("retained"), claim: wants(source), namespace: shop })).not.toHaveProperty("event");
    const above = { volume: one("offered"), claim: wants(source), namespace: shop, ...full };
    const unkept = decideOne(above);
    expect(done(unkept)).toMatchObject({ step: "unkept", event: "FormerDataBound" });
    expect(unkept?.message).toContain("VolumeSnapshot before-upgrade");
    // With a new claim, the data would be lost.
    expect(unkept?.message).not.toContain("create it again");
    const { annotations: _, ...silent } = claim("new", "pv").metadata;
    const asksNothing = { ...wants(source), metadata: silent };
    const facts = { volume: one("offered"), claim: asksNothing, namespace: shop, storageClass: saying("standard") };
    const [notKept] = retain.decide([facts], now, settings);
    expect(done(notKept)).toEqual({ spec: toDelete, event: "FormerDataBound" });
    expect(notKept?.message).toContain("VolumeSnapshot before-upgrade");
  });

  test.each([
    { what: "is not kept if MOST_KEPT is reached", room: full, is: bound, does: "unkept", policy: "Delete" },
    { what: "is kept no longer if MOST_KEPT is reached", room: full, is: retained, does: "unkept", policy: "Delete" },
    { what: "is kept below MOST_KEPT", room: {}, is: bound, does: "retained", policy: "Retain" },
    { what: "is kept if a person has set Retain", room: full, is: { ...bound, policy: "Retain" }, does: "retained" },
    { what: "is kept again after it was left out", room: {}, is: left, does: "retained", policy: "Retain" },
  ])("that asks to be kept $what", ({ room, is, does, policy }) => {
    const found = retain.decide([{ volume: volume(is), claim: keepIt, namespace: shop, ...room }], now, settings);
    expect(done(found[0])).toMatchObject({
      step: does,
      ...(policy && volume(is).spec.persistentVolumeReclaimPolicy !== policy
        ? { spec: { persistentVolumeReclaimPolicy: policy } }
        : {}),
    });
    const event = found[1] && "event" in found[1] ? found[1].event?.reason : undefined;
    expect(event).toBe(does === "unkept" ? "NamespaceFull" : is === left ? "VolumeKeptAgain" : undefined);
  });

  test("is said to be kept again only after that is written", async () => {
    const objects = new Map<unknown, unknown>([
      [PersistentVolume, volume(left)],
      [PersistentVolumeClaim, keepIt],
      [Namespace, shop],
    ]);
    const unavailable = new ApiError("PATCH", { status: 503, reason: "ServiceUnavailable", message: "" });
    const { outcomes, recorded } = await runOn(retain, { kind: PersistentVolume, name: "pv" }, settings, {
      get: async (kind: unknown) => objects.get(kind),
      list: async function* () {},
      patch: () => Promise.reject(unavailable),
    });
    expect([...outcomes.values()].flat().map(({ status }) => status)).toContain(503);
    expect(recorded).toEqual([]);
  });

  test("whose note only a newer version can read is left as it is, and the Event says so", async () => {
    const kept = { ...volume({ name: "kept", note: { asked: "2Gi" } }) };
    const objects = new Map<unknown, unknown>([
      [PersistentVolume, volume({ ...left, note: { v: 3, step: "unkept" } })],
      [PersistentVolumeClaim, keepIt],
      [Namespace, shop],
    ]);
    const most = schema.parse({ mostKept: "1Gi" });
    const { outcomes, recorded, patched } = await runOn(retain, { kind: PersistentVolume, name: "pv" }, most, {
      get: async (kind: unknown) => objects.get(kind),
      list: async function* () {
        yield kept;
      },
    });
    expect([...outcomes.values()].flat()).toMatchObject([{ result: "stop", status: 204 }]);
    expect({ recorded, patched }).toEqual({ recorded: ["pv NewerProgress"], patched: [] });
  });

  const deleted = { deletionTimestamp: "2026-01-01T23:00:00Z" };
  const leaving = claim("claim", "pv", "24h", deleted);
  const rebound = { phase: "Bound", note: { step: "offered" }, ref: { uid: "new" } } as const;
  test.each([
    { what: "whose claim is being deleted", is: retained, asks: leaving, home: shop },
    { what: "whose namespace is being deleted", is: retained, asks: keepIt, home: saying("shop", undefined, deleted) },
    { what: "whose next claim is being deleted", is: rebound, asks: claim("new", "pv", "24h", deleted), home: shop },
  ])("$what stays kept, also above MOST_KEPT", ({ is, asks, home }) => {
    const facts = { volume: volume(is), claim: asks, namespace: home, ...full };
    const does = decide(facts);
    expect(does).toMatchObject({ step: "retained" });
    expect(does).not.toHaveProperty("spec");
  });

  test("is kept no longer only if its claim and its namespace are not being deleted", () => {
    const awaits = (is: ReturnType<typeof volume>) => {
      const decision = decideOne({ volume: is, claim: keepIt, namespace: shop, ...full });
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

  test("gets its policy back only while claim and namespace stay and say what they said", () => {
    const facts = { volume: volume(retained), claim: silentClaim, namespace: shop, ...silentClass };
    const decision = decideOne(facts);
    expect(done(decision)).toEqual(notAnyMore);
    const [ofClaim, ofNamespace] = (decision?.do === "write" && decision.preconditions) || [];
    const lives = [silentClaim, going, keepIt, claim("new", "pv"), undefined];
    expect(lives.map((live) => ofClaim?.holds(live))).toEqual([true, false, false, false, false]);
    // The annotation may move to the namespace or to the claim while both are read.
    const homes = [shop, saying("shop", undefined, deleted), saying("shop", "24h"), undefined];
    expect(homes.map((home) => ofNamespace?.holds(home))).toEqual([true, false, false, false]);
  });

  test.each(["no", "later"])("keeps the refusal %s that came before this rule saw that it was bound again", (offer) => {
    const refused = volume({ ...rebound, annotations: { "holdfast.dev/offer": offer } });
    const decided = decide({ volume: refused, claim: claim("new", "pv", "24h"), namespace: shop });
    expect(decided).toEqual({ step: "retained" });
  });

  test("that is bound again loses a permission, and one that a person has given to another claim a refusal", () => {
    const [yes, no] = [{ "holdfast.dev/offer": "yes" }, { "holdfast.dev/offer": "no" }];
    const loses = { step: "retained", annotations: { "holdfast.dev/offer": null } };
    const again = { claim: claim("new", "pv", "24h"), namespace: shop };
    expect(decide({ volume: volume({ ...rebound, annotations: yes }), ...again })).toEqual(loses);
    const given = volume({ ...rebound, ref: { name: "other", uid: "new" }, annotations: no });
    const other = claim("new", "pv", "24h", { name: "other" });
    expect(decide({ volume: given, claim: other, namespace: shop })).toEqual(loses);
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
    expect(detailsOf(decision)).toMatchObject({ for: kept, ...(warning ? { warning } : {}) });
  });

  test("has its former policy in its note, also one that a person has set later", () => {
    const noted = (one: ReturnType<typeof volume>) =>
      detailsOf(decideOne({ volume: one, claim: keepIt, namespace: shop }))?.policy;
    expect(noted(volume(bound))).toBe("Delete");
    expect(noted(volume(retained))).toBe("Delete");
    expect(noted(volume({ ...bound, policy: "Retain" }))).toBe("Retain");
    expect(noted(volume(overruled))).toBe("Retain");
  });

  test("that is to be kept never gets another policy than Retain", () => {
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

test("a volume whose class is missing stays kept only if a class may have asked for it", async () => {
  const objects = new Map<unknown, unknown>([
    [PersistentVolumeClaim, silentClaim],
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
  expect([await policyNow("class"), await policyNow()]).toEqual([undefined, undefined]);
  // A static volume may name a class that there never was.
  expect([await policyNow("claim"), await policyNow("namespace")]).toEqual([notAnyMore, notAnyMore]);
  // That of a provisioned one was there, and may have said it as well.
  const provisioned = { "pv.kubernetes.io/provisioned-by": "driver.example" };
  expect(await policyNow("claim", provisioned)).toBeUndefined();
  objects.set(PersistentVolumeClaim, claim("claim", "pv", "none"));
  expect(await policyNow("claim", provisioned)).toEqual(notAnyMore);
  objects.set(PersistentVolumeClaim, silentClaim);
  objects.set(StorageClass, saying("standard"));
  expect(await policyNow("class")).toEqual(notAnyMore);
});

test("the note says whose annotation keeps the volume", () => {
  const by = (facts: Omit<Facts, "volume">) => detailsOf(decideOne({ volume: free, ...facts }))?.by;
  const storageClass = saying("standard", "7d");
  expect(by({ claim: keepIt, namespace: saying("shop", "1h"), storageClass })).toBe("claim");
  expect(by({ claim: silentClaim, namespace: saying("shop", "1h"), storageClass })).toBe("namespace");
  expect(by({ claim: silentClaim, namespace: shop, storageClass })).toBe("class");
});

describe("subjects", () => {
  const hint = (kind: string, object?: object, namespace?: string) =>
    retain.subjects(
      { id: "1", change: "update", kind, apiVersion: "v1", name: "x", namespace, object } as never,
      settings,
    );
  const claimIn = (phase: string) => ({ ...claim("claim", "pv"), status: { phase } });

  test("a bound claim concerns its volume, and a volume without a note concerns no object", () => {
    expect(hint("PersistentVolumeClaim", claimIn("Bound"), "shop")).toMatchObject([{ name: "pv" }]);
    expect(hint("PersistentVolumeClaim", claimIn("Pending"), "shop")).toEqual([]);
    expect(hint("PersistentVolume", volume(bound))).toEqual([]);
    expect(hint("PersistentVolume")).toMatchObject([{ name: "x" }]);
  });

  test("a class that is created again concerns its volumes, unless it says nothing", () => {
    expect(retain.triggers.find(({ kind }) => kind === StorageClass)?.changes).toEqual(["add", "update"]);
    const added = (object?: object) =>
      retain.subjects({ id: "1", change: "add", kind: "StorageClass", name: "fast", object } as never, settings);
    expect(added(saying("fast", "7d"))).toEqual([{ kind: StorageClass, name: "fast" }]);
    expect(added()).toEqual([{ kind: StorageClass, name: "fast" }]);
    // A source says of each class that it is added when it starts.
    expect(added(saying("fast"))).toEqual([]);
    expect(hint("StorageClass", saying("fast"))).toEqual([{ kind: StorageClass, name: "x" }]);
  });

  test("a bound volume causes a look if it differs from its note", () => {
    const isLooked = (changes: Changes) => hint("PersistentVolume", volume(changes)).length > 0;
    expect(isLooked(retained)).toBe(false);
    expect(isLooked({ ...overruled, policy: "Delete" })).toBe(false);
    expect(isLooked({ ...retained, policy: "Delete" })).toBe(true);
    expect(isLooked(overruled)).toBe(true);
    expect(isLooked({ ...retained, ref: { uid: "new" } })).toBe(true);
    expect(isLooked({ ...retained, note: { step: "offered" } })).toBe(true);
    expect(isLooked({ ...retained, phase: "Released" })).toBe(false);
  });

  test("a bound volume that has lost its label causes a look, and gets the label back", () => {
    const { metadata, ...rest } = volume(retained);
    const one = { metadata: { ...metadata, labels: {} }, ...rest };
    expect(hint("PersistentVolume", one)).toMatchObject([{ name: "x" }]);
    const decision = decideOne({ volume: one, claim: keepIt, namespace: shop });
    expect(decision).toMatchObject({
      writes: [{ patch: { metadata: { labels: { "holdfast.dev/volume-of": "shop" } } } }],
    });
  });
});

describe("look", () => {
  test("reads each claim once, each namespace and the class once, and at most 16 at the same time", async () => {
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
    // In this order: a person who moves the annotation to the namespace or the class writes it there first.
    expect(read).toEqual([...names.map(() => "PersistentVolumeClaim"), ...namespaces, "StorageClass fast"]);
    expect(most).toBe(16);
  });
});

test.each(["PersistentVolumeClaim data-1", "Namespace shop-1"])(
  "a %s that the API server does not serve stops its volume alone",
  async (broken) => {
    const names = ["data-0", "data-1", "data-2"];
    const error = new ApiError("GET", { status: 500, reason: "InternalError", message: "a fault" });
    const client = {
      async *list() {
        for (const name of names) {
          const { spec, ...rest } = volume({ ...bound, name });
          const claimRef = { namespace: `shop-${name.at(-1)}`, name, uid: name };
          yield { ...rest, spec: { ...spec, storageClassName: "fast", claimRef } };
        }
      },
      async get({ kind }: { kind: string }, _namespace: string | undefined, name: string) {
        if (`${kind} ${name}` === broken) throw error;
        return kind === "PersistentVolumeClaim" ? claim(name, name, "7d", { name }) : saying(name, undefined);
      },
    };
    const subject = { kind: StorageClass, name: "fast" };
    const look = () => retain.look(subject, { client, settings } as never) as Promise<readonly Facts[]>;
    const { facts, failures } = await partly(look);
    expect(facts.map((one) => one.volume.metadata.name)).toEqual(["data-0", "data-2"]);
    expect(failures).toMatchObject([{ object: { name: expect.stringMatching(/-1$/) }, error }]);
  },
);

test("an uninstall names volumes that stay Retain and had another policy before", () => {
  const isOn = (changes: Changes) => retain.leavesBehind?.some((left) => left.isOn(volume(changes)));
  expect(isOn(retained)).toBe(true);
  expect(isOn({ ref: null })).toBe(true);
  expect(isOn(bound)).toBe(false);
  expect(isOn({ ...overruled, policy: "Delete" })).toBe(false);
  expect(isOn({ note: { step: "retained", policy: "Retain" } })).toBe(false);
});

describe("the right that a new note gives a volume", () => {
  const rightOf = (status: object, note: Changes["note"] = null, metadata = {}) => {
    const one = volume({ ...bound, note, ...(note ? { policy: "Retain" } : {}) });
    const facts = { volume: { ...one, status: { ...one.status, ...status } }, namespace: shop };
    const decision = decideOne({ ...facts, claim: claim("claim", "pv", "24h", metadata) });
    const step = decision?.do === "write" && decision.step;
    return (step as { details?: { right?: number } }).details?.right;
  };
  const since = (lastPhaseTransitionTime: string) => ({ lastPhaseTransitionTime });
  test.each<{ what: string; is: number | undefined; right?: string }>([
    { what: "when it was bound", is: rightOf(since("2026-01-01T20:00:00Z")), right: "2026-01-01T20:00:00.999Z" },
    {
      what: "when it was bound, also if our clock is behind",
      is: rightOf(since("2026-01-02T00:01:00Z")),
      right: "2026-01-02T00:01:00Z",
    },
    { what: "our time within the second in which it was bound", is: rightOf(since("2026-01-02T00:00:00Z")) },
    { what: "our time if the volume does not say when it was bound", is: rightOf({}) },
    { what: "our time if what the volume says cannot be read", is: rightOf(since("yesterday")) },
    {
      what: "when its claim was created, if the phase has not changed since the claim before",
      is: rightOf(since("2026-01-01T20:00:00Z"), null, { creationTimestamp: "2026-01-01T21:00:00Z" }),
      right: "2026-01-01T21:00:00.999Z",
    },
    {
      what: "what the note says, if it is of this claim already",
      is: rightOf(since("2026-01-01T20:00:00Z"), { step: "unkept", right: 1 }),
      right: "1970-01-01T00:00:00.001Z",
    },
  ])("is $what", ({ is, right }) => expect(is).toBe(right ? Date.parse(right) : now));
});
