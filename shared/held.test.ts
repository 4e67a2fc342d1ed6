import { describe, expect, test } from "vitest";
import { about } from "./about.ts";
import type { Decision } from "./decision.ts";
import { held } from "./held.ts";
import { Namespace, PersistentVolume } from "./kubernetes/kind.ts";
import type { KubernetesObject } from "./kubernetes/object.ts";

const finalizer = "holdfast.dev/test";
const object = (kind: string, metadata: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: kind.toLowerCase(), uid: kind, resourceVersion: "1", ...metadata },
});
const volume = object("PersistentVolume");
const change = {
  verb: "patch",
  kind: PersistentVolume,
  namespace: undefined,
  name: "v",
  type: "merge",
  patch: {},
} as const;
const offer = about(PersistentVolume, volume).write("It is offered.", [change], { step: { name: "offered" } });
const offered = about(PersistentVolume, volume).write("It is offered.", [], { step: { name: "offered" } });
const kept = about(PersistentVolume, volume).write("It is kept.", [change], { step: { name: "kept" } });
const isOffer = (decision: Decision) =>
  decision.do === "write" && typeof decision.step === "object" && decision.step.name === "offered";

const home = (metadata?: object) => object("Namespace", metadata);
const guarded = { finalizers: [finalizer] };
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };

/** What is done, in its order: to the volume, or to the namespace. */
const inOrder = (namespace: KubernetesObject | undefined, decisions: readonly Decision[]) =>
  held(Namespace, namespace, finalizer, decisions, isOffer)
    .map((decision) => {
      if (decision.do !== "write") return "";
      const what = decision.kind === Namespace && decision.writes.length === 0 ? "looks" : decision.message;
      return `${decision.order ?? 0} ${what}`;
    })
    .sort();

describe("held", () => {
  const does = (is: readonly string[], does: readonly (string | RegExp)[]) =>
    expect(is).toEqual(does.map((text) => (typeof text === "string" ? text : expect.stringMatching(text))));
  test("holds the object before something rests on it, and looks at it behind", () =>
    does(inOrder(home(), [kept, offer]), ["0 It is kept.", /^0 .* gets the finalizer/, "1 It is offered.", "2 looks"]));
  test("looks before and behind where it is held already", () =>
    does(inOrder(home(guarded), [offer]), ["0 looks", "1 It is offered.", "2 looks"]));
  test("holds it again for what rests on it since long", () =>
    does(inOrder(home(), [offered]), [/^0 .* gets the finalizer/, "1 It is offered."]));
  test("does nothing where nothing is new", () => does(inOrder(home(guarded), [offered]), ["1 It is offered."]));
  test("never lets go while it lives", () => does(inOrder(home(guarded), [kept]), ["0 It is kept."]));
  test("lets go last when it is being deleted", () =>
    does(inOrder(home({ ...guarded, ...going }), [kept]), ["0 It is kept.", /^1 .* is removed/]));
  test("lets go only what is held", () => does(inOrder(home(going), [kept]), ["0 It is kept."]));
  test("does what is to be done where it is gone", () => does(inOrder(undefined, [kept]), ["0 It is kept."]));

  test.each([
    { what: "held", object: home(guarded) },
    { what: "about to be held", object: home() },
  ])("has an object that is $what, and is gone, another one or being deleted, looked at again", ({ object }) => {
    const [precondition] = held(Namespace, object, finalizer, [offer], isOffer).flatMap((decision) =>
      decision.do === "write" && decision.kind === Namespace && decision.order !== 2 ? decision.preconditions : [],
    );
    expect(precondition?.holds(home())).toBe(true);
    for (const live of [undefined, home({ uid: "another" }), home(going)])
      expect(precondition?.holds(live)).toBe(false);
  });
});
