import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { Namespace } from "../../../shared/kubernetes/kind.ts";
import type { Claim, Volume } from "../../../shared/storage/volume.ts";
import { runOn } from "../lib/testing/run-on.ts";
import { type Changes, claim, done, now, saying, volume } from "../lib/testing/volume.ts";
import type { Facts } from "./decide.ts";
import { reserve } from "./rule.ts";

const lost = (more: Changes = {}) => volume({ note: { step: "retained" }, ...more });
const guard = { finalizers: ["holdfast.dev/undelete"] };
const shop = saying("shop", undefined, guard);
const gone = undefined;
const another = (annotations = {}) => saying("shop", undefined, { ...guard, uid: "another", annotations });
const ending = (more: object = guard) =>
  saying("shop", undefined, { deletionTimestamp: "2026-01-01T23:00:00Z", ...more });
const offer = { claimRef: { uid: null } };
const withdraw = { claimRef: { uid: "claim" } };
const reclaimAt = (time: string) => ({ "holdfast.dev/reclaim-at": time });
const inADay = reclaimAt("2026-01-03T00:00:00Z");
const due = reclaimAt("2026-01-01T12:00:00Z");

const offerSays = (value: string) => ({ "holdfast.dev/offer": value });
/** With another claim of its name, or the same. */
const beside = (one: Claim) => ({ claims: new Map([["data", one]]) });

type OtherNamespace = "ask" | "always" | "never";

function decideAll(facts: Partial<Facts>, otherNamespace: OtherNamespace = "ask") {
  const all = { namespace: shop, volumes: [], claims: new Map(), ...facts };
  return reserve.decide(all, now, { otherNamespace });
}
const decide = (one: ReturnType<typeof volume>, facts: Partial<Facts> = {}, otherNamespace?: OtherNamespace) =>
  done(decideAll({ volumes: [one], ...facts }, otherNamespace).find(({ about }) => about.metadata.name === "pv"));

describe("a volume whose claim is gone", () => {
  const offered = { step: "offered", spec: offer };
  const noTime = { "holdfast.dev/reclaim-at": null };
  const does = (decided: unknown, expected: unknown) => expect(decided).toEqual(expected);
  test("is offered, and gets its time", () => does(decide(lost()), { ...offered, annotations: inADay }));
  test("is offered without a time if the duration is unreadable", () =>
    does(decide(lost({ note: { step: "retained", for: "soon" } })), offered));
  test("loses a time that passed before the deletion was seen, if the duration is unreadable", () =>
    does(decide(lost({ note: { step: "retained", for: "soon" }, annotations: due })), {
      ...offered,
      annotations: noTime,
    }));
  test("loses the past time of an earlier claim, if the duration is unreadable", () =>
    does(decide(volume({ ref: { uid: "later" }, note: { for: "soon" }, annotations: due })), {
      ...offered,
      annotations: noTime,
    }));
  test("keeps a later time that a person has written before, if the duration is unreadable", () =>
    does(decide(lost({ note: { step: "retained", for: "soon" }, annotations: inADay })), offered));
  test("keeps a later time that a person has written before", () =>
    does(decide(lost({ annotations: reclaimAt("2026-02-01T00:00:00Z") })), offered));
  test("keeps an unreadable time that a person has written before, and says so", () =>
    does(decide(lost({ annotations: reclaimAt("never") })), { ...offered, event: "UnreadableTime" }));
  test("gets a new time if a later claim than the noted one had it before a look", () =>
    does(decide(volume({ ref: { uid: "later" }, annotations: due })), { ...offered, annotations: inADay }));
  test("gets its time if a person has set its policy to Retain again before a look", () =>
    does(decide(volume({ note: { step: "overruled" } })), { ...offered, annotations: inADay }));
  test("is offered to a claim that asks for it by its name", () =>
    does(decide(lost(), beside(claim("new", "pv"))), { ...offered, annotations: inADay }));
  test("is offered to a claim that asks for it by its name, and says that it is due", () =>
    does(decide(volume({ annotations: due }), beside(claim("new", "pv"))), { ...offered, event: "ReclaimPostponed" }));
  test("says that it is due and stays for a claim that asks for it by its name, also where it is not offered", () =>
    does(decide(volume({ annotations: due }), { namespace: another(), ...beside(claim("new", "pv")) }), {
      step: "asks",
      event: "ReclaimPostponed",
    }));
  test("loses the annotation that would make it Available to every claim", () =>
    does(decide(volume({ annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } })), {
      ...offered,
      annotations: { "pv.kubernetes.io/bound-by-controller": null },
    }));
  test("is offered in a namespace that names the uid of the former one", () =>
    does(decide(volume(), { namespace: another({ "holdfast.dev/successor-of": "shop" }) }), offered));
  test("is not offered in another namespace with OTHER_NAMESPACE=never", () =>
    does(decide(volume(), { namespace: another({ "holdfast.dev/successor-of": "shop" }) }, "never"), { step: "asks" }));
  test("is offered in any namespace with OTHER_NAMESPACE=always", () =>
    does(decide(volume(), { namespace: another() }, "always"), offered));
  test("is offered in any namespace if a person has allowed it", () =>
    does(decide(volume({ annotations: offerSays("yes") }), { namespace: gone }, "never"), {
      ...offered,
      annotations: { "holdfast.dev/offer": null },
    }));
  test("is withdrawn if the namespace in which a person has allowed it is being deleted", () =>
    does(decide(volume({ ref: null, note: { namespaceUid: undefined } }), { namespace: ending() }, "never"), {
      step: "asks",
      spec: withdraw,
    }));
  test("waits for another permission if its namespace is being deleted when a person allows it", () =>
    does(decide(volume({ annotations: offerSays("yes") }), { namespace: ending() }, "never"), {
      step: "asks",
      annotations: { "holdfast.dev/offer": null },
    }));
  test("is not offered if a person has set offer=no", () =>
    does(decide(lost({ annotations: offerSays("no") })), { step: "kept", annotations: inADay }));
  test("is not offered if the value of a person's offer annotation is unknown", () =>
    does(decide(lost({ annotations: offerSays("No") })), { step: "kept", annotations: inADay }));
  test("is withdrawn if a person sets offer=no, also with OTHER_NAMESPACE=always", () =>
    does(decide(volume({ ref: null, annotations: offerSays("no") }), {}, "always"), { step: "kept", spec: withdraw }));
  test("is kept beside a claim that has another volume", () =>
    does(decide(lost(), beside(claim("new", "other"))), { step: "kept", annotations: inADay }));
  test("is left alone while its claim has it", () => does(decide(lost(), beside(claim("claim", "pv"))), undefined));
  test("is left alone if a person has set its policy", () => does(decide(lost({ policy: "Delete" })), undefined));
  test("belongs to another claim if a person has reserved it for that claim", () =>
    does(decide(lost({ ref: { name: "b" } })), { event: "GivenToAnother" }));
  test("is left to retain if it has become that of another claim and was never free", () =>
    does(
      decide(volume({ phase: "Bound", note: { step: "retained" }, ref: { name: "other", uid: "new" } })),
      undefined,
    ));
  test("is left alone if a person has reserved it for another claim and it is being deleted", () =>
    does(decide(lost({ ref: { name: "b" }, deleting: true })), undefined));
  test("is left alone while it is being deleted", () => does(decide(lost({ deleting: true })), undefined));
  test("whose time cannot be read stays, and says so", () =>
    does(decide(volume({ ref: null, annotations: reclaimAt("tomorrow") })), {
      step: "offered",
      event: "UnreadableTime",
    }));
  test("stays offered beside a claim that has got another volume, and says so", () =>
    does(decide(volume({ ref: null }), beside(claim("new", "other"))), {
      step: "offered",
      event: "AnotherVolumeBound",
    }));
  test("says that it is due and stays for a claim that has no volume", () =>
    does(decide(volume({ ref: null, annotations: due }), beside(claim("new"))), {
      step: "offered",
      event: "ReclaimPostponed",
    }));
  test("does not mention a claim without a volume before it is due", () =>
    does(decide(volume({ ref: null, annotations: inADay }), beside(claim("new"))), { step: "offered" }));

  test("that a claim has loses a permission, which would count later for another namespace, and says so", () => {
    const annotations = offerSays("yes");
    const has = (one: Volume, metadata = {}) => {
      const claims = new Map([["data", claim("claim", "pv", undefined, metadata)]]);
      return decideAll({ volumes: [one], claims }).filter(({ about }) => about.metadata.name === "pv");
    };
    const one = lost({ phase: "Bound", annotations });
    const [loses] = has(one);
    expect(done(loses)).toEqual({ annotations: { "holdfast.dev/offer": null }, event: "OfferWithoutEffect" });
    expect(loses).toMatchObject({ progress: "unchanged", message: expect.stringContaining("shop/data") });
    expect(has(lost({ phase: "Bound", annotations: offerSays("no") }))).toEqual([]);
    // The permission may be for what comes after this claim, and Kubernetes may still be binding.
    expect(has(one, { deletionTimestamp: "2026-01-01T23:00:00Z" })).toEqual([]);
    expect(has(lost({ phase: "Available", annotations }))).toEqual([]);
  });

  test.each([
    { what: "of which the later falls due first", old: "2026-01-05", later: "2026-01-04", next: "2026-01-04" },
    { what: "of which the later falls due last", old: "2026-01-05", later: "2026-01-06", next: "2026-01-05" },
    { what: "of which the later has no time", old: "2026-01-05", later: undefined, next: "2026-01-05" },
    { what: "of which the later has an unreadable time", old: "2026-01-05", later: "x", next: "2026-01-05" },
    { what: "of which only the later has a time", old: undefined, later: "2026-01-04", next: "2026-01-04" },
    { what: "of which none has a time", old: undefined, later: undefined, next: undefined },
  ])("is kept beside one of a later claim, $what: it is looked at at the right time", ({ old, later, next }) => {
    const at = (day: string | undefined) => (day ? reclaimAt(`${day}T00:00:00Z`) : {});
    const rival = volume({ name: "later", ref: null, note: { right: 2 }, annotations: at(later) });
    const [decision] = decideAll({ volumes: [volume({ annotations: at(old) }), rival] });
    expect(done(decision)).toMatchObject({ step: "kept" });
    expect(decision?.do === "write" && decision.next).toBe(next && Date.parse(next));
  });

  test("gets a due time that counts from its release, even if the function's clock is two hours behind", () => {
    const released = { ...lost(), status: { phase: "Released", lastPhaseTransitionTime: "2026-01-02T02:00:00Z" } };
    const [decision] = decideAll({ volumes: [released] });
    expect(done(decision)).toMatchObject({ annotations: reclaimAt("2026-01-03T02:00:00Z") });
  });

  test("gets no time and no offer before Kubernetes has released it, and keeps its place before an earlier one", () => {
    const bound = lost({ phase: "Bound", note: { step: "retained", right: 2 } });
    expect(decide(bound)).toBeUndefined();
    const [old, ...others] = decideAll({ volumes: [volume({ name: "old" }), bound] });
    expect(done(old)).toEqual({ step: "kept" });
    expect(others.filter(({ about }) => about.metadata.name === "pv")).toEqual([]);
  });

  test.each([
    { what: "its note", annotations: undefined },
    { what: "a note that was overwritten", annotations: { "holdfast.dev/undelete.note": "" } },
  ])("that is offered is kept, and its offer withdrawn, by an uninstall that finds $what", ({ annotations }) => {
    const [left] = reserve.leavesBehind ?? [];
    const offered = volume({ ref: null, annotations: annotations ?? {} });
    expect(left?.isOn(offered)).toBe(true);
    expect(left?.undo?.(offered)).toMatchObject({ patch: { spec: withdraw } });
    expect(left?.isOn(volume(annotations ? { annotations } : {}))).toBe(false);
  });

  test("has the former policy Retain if a person has set its policy to Retain again", () => {
    const [decision] = decideAll({ volumes: [volume({ note: { step: "overruled" } })] });
    expect(decision).toMatchObject({ step: { name: "offered", details: { policy: "Retain" } } });
  });

  test.each([
    { what: "has a noted namespace says where its uid is", namespaceUid: "u-1", says: "holdfast.dev/successor-of=UID" },
    { what: "has no noted namespace says how to offer it", namespaceUid: undefined, says: "offer=yes" },
  ])("that waits for permission and $what", ({ namespaceUid, says }) => {
    const [asks] = decideAll({ volumes: [volume({ note: { namespaceUid } })], namespace: gone });
    expect(asks?.message).toContain(says);
    expect(asks?.message).not.toMatch(/undefined|u-1/);
  });

  test.each<[string, ReturnType<typeof volume>, OtherNamespace, string | undefined]>([
    ["the namespace that there is", volume({ annotations: offerSays("yes") }), "never", "another"],
    ["the next namespace", volume({ ref: null, note: { namespaceUid: undefined } }), "never", "another"],
    ["any with OTHER_NAMESPACE=always", volume({ annotations: offerSays("yes") }), "always", undefined],
  ])("that a person has allowed is noted for %s", (_, one, otherNamespace, namespaceUid) => {
    const [offers] = decideAll({ volumes: [one], namespace: another() }, otherNamespace);
    expect(offers).toMatchObject({ step: { name: "offered", details: { namespaceUid } } });
  });

  test.each([
    { what: "a person offers", offer: "yes", namespace: shop, clears: ["ReclaimPostponed"] },
    // Reserve has a Warning of its own about this one.
    { what: "a person offers without effect", offer: "yes", namespace: ending(), clears: [] },
    { what: "a person does not want offered", offer: "no", namespace: shop, clears: [] },
  ])("that $what loses the Warning of expire that the offer was not seen", ({ offer, namespace, clears }) => {
    const one = volume({ annotations: { ...due, "holdfast.dev/offer": offer } });
    const claims = new Map([["data", claim("new", namespace === shop ? undefined : "pv")]]);
    const answers = decideAll({ volumes: [one], namespace, claims }).find(({ about }) => about.metadata.name === "pv");
    expect(answers).toMatchObject({ do: "write", clears });
  });

  test("that a new claim did not get names all that the claim may have asked for, also a VolumeAttributesClass", () => {
    const facts = { volumes: [volume({ ref: null })], ...beside(claim("new", "other")) };
    const [passed] = decideAll(facts).filter(({ about }) => about.metadata.name === "pv");
    for (const what of ["size", "access modes", "volume mode", "VolumeAttributesClass"])
      expect(passed?.message).toContain(what);
  });

  test("is offered instead of another one of its name that was bound earlier", () => {
    const volumes = [volume({ name: "old", ref: null }), lost({ note: { step: "retained", right: 2 } })];
    const [old, newer] = decideAll({ volumes }).map(done);
    expect(old).toEqual({ step: "kept", spec: withdraw });
    expect(newer).toMatchObject({ step: "offered", spec: offer });
  });

  test("is offered instead of one that was bound earlier, if a person wants both offered", () => {
    const annotations = offerSays("yes");
    const volumes = [volume({ name: "old", annotations }), volume({ annotations, note: { right: 2 } })];
    const [old, newer] = decideAll({ volumes, namespace: gone }).map(done);
    const heeded = { "holdfast.dev/offer": null };
    expect(old).toEqual({ step: "kept", annotations: heeded });
    expect(newer).toEqual({ step: "offered", spec: offer, annotations: heeded });
  });

  test("is not offered if a person has set offer=no on that of a later claim, until a person offers this one", () => {
    const refused = lost({ note: { right: 2 }, annotations: offerSays("no") });
    const steps = (annotations = {}) =>
      decideAll({ volumes: [volume({ name: "old", annotations }), refused] }).map(done);
    const [kept, withheld] = [{ step: "kept" }, { step: "kept" }];
    expect(steps().slice(0, 2)).toMatchObject([kept, withheld]);
    expect(steps(offerSays("yes")).slice(0, 2)).toMatchObject([{ step: "offered" }, withheld]);
  });

  test("stays offered by a person's word, also where the clock that noted one of a later claim was ahead", () => {
    const ahead = volume({ name: "later", note: { right: now + 60_000 } });
    const [offers] = decideAll({ volumes: [volume({ annotations: offerSays("yes") }), ahead] });
    if (offers?.do !== "write" || typeof offers.step !== "object") throw new Error("Nothing is noted.");
    const { name: step, details } = offers.step;
    expect(step).toBe("offered");
    const [stays, keeps] = decideAll({ volumes: [volume({ ref: null, note: details ?? {} }), ahead] }).map(done);
    expect(stays).toEqual({ step: "offered" });
    expect(keeps).toMatchObject({ step: "kept" });
  });

  test("that a person offers counts from then on, and before those of its name alone", () => {
    const said = volume({ annotations: offerSays("yes") });
    const logs = { namespace: "shop", name: "logs", uid: "logs" };
    const other = volume({ name: "logs", ref: logs, note: { claim: logs, right: now + 60_000 } });
    const [offers] = decideAll({ volumes: [said, volume({ name: "old" }), other] });
    expect(offers).toMatchObject({ step: { details: { right: now } } });
  });

  test("is the only one of its name that is offered, for all combinations of volumes", () => {
    const any = fc.record({ right: fc.constantFrom(1, 2), said: fc.boolean(), isOffered: fc.boolean() });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 4 }), (ones) => {
        const volumes = ones.map(({ right, said, isOffered }, index) =>
          volume({
            name: `pv${index}`,
            note: { right },
            annotations: said ? offerSays("yes") : {},
            ...(isOffered ? { ref: null } : {}),
          }),
        );
        const steps = decideAll({ volumes }).flatMap((decision) =>
          decision.do === "write" && typeof decision.step === "object" ? [decision.step.name] : [],
        );
        expect(steps.filter((step) => step === "offered")).toHaveLength(1);
        expect(steps).toHaveLength(ones.length);
      }),
    );
  });

  test("is never offered in another namespace without a permission, and an offer there is withdrawn", () => {
    const successors = ["else", "yes"].map((uid) => another({ "holdfast.dev/successor-of": uid }));
    for (const namespace of [gone, another(), ...successors, ending()])
      for (const step of ["retained", "kept", "asks", "offered"] as const)
        for (const other of ["ask", "never"] as const) {
          const asks = { step: "asks", ...(step === "retained" ? { annotations: inADay } : {}) };
          expect(decide(volume({ note: { step } }), { namespace }, other)).toEqual(asks);
          expect(decide(volume({ note: { step }, ref: null }), { namespace }, other)).toEqual({
            ...asks,
            spec: withdraw,
          });
        }
  });
});

describe("the namespace", () => {
  const free = saying("shop");
  const ofNamespace = (facts: Partial<Facts>) =>
    decideAll(facts).flatMap((decision) =>
      decision.do === "write" && decision.about.metadata.name === "shop"
        ? [[decision.order ?? 0, decision.writes.length, decision.preconditions?.length ?? 0]]
        : [],
    );
  const held = volume({ ref: null, note: { next: "2026-01-03T00:00:00.000Z" }, annotations: inADay });

  const does = (facts: Partial<Facts>, expected: readonly number[][]) => expect(ofNamespace(facts)).toEqual(expected);
  test("gets the finalizer first, and is read last", () =>
    does({ namespace: free, volumes: [lost()] }, [
      [0, 1, 1],
      [2, 0, 1],
    ]));
  test("that has the finalizer already is read first and last", () =>
    does({ volumes: [lost()] }, [
      [0, 0, 1],
      [2, 0, 1],
    ]));
  test("is left alone if nothing has changed", () => does({ volumes: [held] }, []));
  test("gets the finalizer again if a person has removed it", () =>
    does({ namespace: free, volumes: [held] }, [[0, 1, 1]]));
  test("that is not being deleted keeps the finalizer", () => does({ volumes: [] }, []));
  test("loses the finalizer after the offers are withdrawn", () =>
    does({ namespace: ending(), volumes: [held] }, [[1, 1, 0]]));
  test("without the finalizer is left alone while it is being deleted", () =>
    does({ namespace: ending({}), volumes: [] }, []));

  test("that was deleted while volumes were offered fails the precondition, and is decided again", () => {
    const check = decideAll({ volumes: [lost()] }).find(({ about }) => about.metadata.name === "shop");
    const [precondition] = (check?.do === "write" && check.preconditions) || [];
    expect(precondition?.holds(shop)).toBe(true);
    for (const live of [gone, another(), ending()]) expect(precondition?.holds(live)).toBe(false);
  });
});

test("a namespace that goes while its volumes are read is gone, and what was written meanwhile is read", async () => {
  const allowed = volume({ annotations: offerSays("yes") });
  const namespaces = [ending(), gone, gone];
  const lists: Volume[][] = [[volume()], [allowed]];
  const client = {
    get: async () => namespaces.shift(),
    async *list(kind: { kind: string }) {
      if (kind.kind === "PersistentVolume") yield* lists.shift() ?? [];
    },
  } as unknown as Client;
  const facts = await reserve.look({ kind: Namespace, namespace: "shop" }, { client } as never);
  expect(facts).toMatchObject({ namespace: undefined, volumes: [allowed] });
  expect(decide(allowed, facts, "never")).toMatchObject({ step: "offered", spec: offer });
});

test.each<{ what: string; name: string; patched: readonly string[] }>([
  { what: "another claim holds back no offer", name: "logs", patched: ["refused", "pv", "looks"] },
  { what: "the same claim holds back the offer: two would be offered", name: "data", patched: ["refused"] },
])("a volume that the API server does not let be changed, of $what", async ({ name, patched }) => {
  const ref = { namespace: "shop", name, uid: "earlier" };
  const offered = volume({ name: "refused", ref: null, note: { claim: ref, right: 0 } });
  const refused = {
    ...offered,
    metadata: { ...offered.metadata, annotations: { ...offered.metadata.annotations, "holdfast.dev/offer": "no" } },
    spec: { ...offered.spec, claimRef: { namespace: "shop", name } },
  };
  const asked: string[] = [];
  const { outcomes } = await runReserve(shop, [refused, lost({ note: { step: "retained", right: 2 } })], {
    get: async () => {
      // Behind the offers the namespace is looked at once more, also where something else has failed.
      if (asked.at(-1) === "pv") asked.push("looks");
      return shop;
    },
    patch: async (_kind: unknown, _namespace: unknown, patchedName: string) => {
      asked.push(patchedName);
      if (patchedName === "refused") throw new ApiError("PATCH", { status: 403, reason: "Forbidden", message: "No." });
      return shop;
    },
  });
  expect(asked).toEqual(patched);
  expect(outcomes.get("refused")).toMatchObject([{ result: "failed" }]);
});

describe("a volume whose note only a newer version can read", () => {
  const newer = { v: 3 } as const;

  test.each([
    { what: "is kept after its claim", one: volume({ note: newer, annotations: due }) },
    { what: "is offered", one: volume({ note: newer, ref: null }) },
  ])("and that $what stays as it is and says so, and others are offered", async ({ one }) => {
    const ref = { namespace: "shop", name: "logs", uid: "logs" };
    const other = volume({ name: "logs", ref, note: { step: "retained", claim: ref } });
    const { outcomes, patched, recorded } = await runReserve(shop, [one, other]);
    const message = expect.stringContaining("Do not remove the annotation");
    expect(outcomes.get("pv")).toMatchObject([{ result: "stop", status: 204, message }]);
    expect(patched).toEqual(["PersistentVolume logs"]);
    expect(recorded).toEqual(["pv NewerProgress", "logs VolumeOffered"]);
  });

  test("holds a namespace that is being deleted while it is offered there, and the Event says so", async () => {
    const offered = volume({ note: newer, ref: null });
    const { patched, recorded } = await runReserve(ending(), [offered]);
    expect(patched).toEqual([]);
    expect(recorded).toEqual(["pv NewerProgress", "shop NewerProgress"]);
  });

  test("lets a namespace go that is being deleted while it is not offered", async () => {
    const { patched, recorded } = await runReserve(ending(), [volume({ note: newer })]);
    expect(patched).toEqual(["Namespace shop"]);
    expect(recorded).toEqual(["pv NewerProgress"]);
  });
});

/** Runs reserve for a namespace. */
const runReserve = (namespace: ReturnType<typeof saying>, volumes: readonly Volume[], answers = {}) =>
  runOn(
    reserve,
    { kind: Namespace, namespace: "shop" },
    { otherNamespace: "ask" },
    { get: async () => namespace, list: listing(volumes), ...answers },
  );

/** Lists these volumes, and no other objects. */
const listing = (volumes: readonly Volume[]) =>
  async function* ({ kind }: { kind: string }) {
    if (kind === "PersistentVolume") yield* volumes;
  };

describe("an event of a volume", () => {
  const subjects = (object?: object) =>
    reserve.subjects(
      { id: "1", change: "update", kind: "PersistentVolume", apiVersion: "v1", name: "pv", object } as never,
      {
        otherNamespace: "ask",
      },
    );
  const next = "2026-01-01T12:00:00.000Z";

  test("of a volume without a note concerns no object", () => expect(subjects(volume({ note: null }))).toEqual([]));

  test.each([
    { what: "has just lost its claim", one: lost() },
    { what: "got another time", one: volume({ note: { next: "2026-01-05T00:00:00.000Z" }, annotations: due }) },
    { what: "lost its time", one: volume({ note: { next } }) },
    { what: "got a time that cannot be read", one: volume({ annotations: reclaimAt("tomorrow") }) },
    { what: "has a Warning whose cause may be gone", one: volume({ note: { warning: "UnreadableTime" } }) },
    { what: "a person wants offered", one: volume({ annotations: offerSays("yes") }) },
    { what: "a person wants not to be offered", one: volume({ annotations: offerSays("no") }) },
    { what: "was not to be offered, and may be offered again", one: volume({ note: { refused: true } }) },
    { what: "a person has reserved by hand", one: volume({ note: { step: "kept" }, ref: null }) },
    { what: "a person has reserved for another claim", one: volume({ ref: { name: "other" } }) },
  ])("that $what concerns its namespace", ({ one }) =>
    expect(subjects(one)).toMatchObject([{ namespace: "shop", members: ["pv"] }]),
  );

  test("that a person has taken the label off has it looked at by its name, and gets its label back", async () => {
    const { metadata, ...rest } = volume({ ref: null, note: { next }, annotations: due });
    const one = { metadata: { ...metadata, labels: { "holdfast.dev/offered-of": "claim" } }, ...rest };
    const [subject] = subjects(one);
    const client = {
      get: async (kind: { kind: string }) => (kind.kind === "Namespace" ? shop : one),
      list: listing([volume({ name: "other" })]),
    } as unknown as Client;
    const facts = subject && (await reserve.look(subject, { client } as never));
    expect(facts?.volumes.map(({ metadata }) => metadata.name)).toEqual(["other", "pv"]);
    const decision = decideAll({ ...facts }).find(({ about }) => about.metadata.name === "pv");
    expect(decision).toMatchObject({
      writes: [{ patch: { metadata: { labels: { "holdfast.dev/volume-of": "shop" } } } }],
    });
  });

  test("that has not changed since its note causes a look and no write", () => {
    const one = volume({ ref: null, note: { next }, annotations: due });
    expect(decideAll({ volumes: [one] })[0]).toMatchObject({ do: "write", writes: [] });
  });

  test("that a former version has noted as refused leaves its note as that version reads it", () => {
    const one = volume({ note: { refused: true }, annotations: offerSays("no") });
    const [decision] = decideAll({ volumes: [one] });
    expect(decision).toMatchObject({ writes: [], step: { name: "kept", details: { refused: true } } });
  });

  test("without its object has the volume read", () => expect(subjects()).toMatchObject([{ name: "pv" }]));
});
