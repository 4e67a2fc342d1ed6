import { expect, test } from "vitest";
import { formerOf, isAnother, linstorKey, movedBecause, noteChange, readNote, withoutCopies } from "./linstor-note.ts";
import { aNode } from "./testing/data.ts";
import { aSatellite } from "./testing/seen.ts";

const [here, there] = ["http://linstor:3370", "https://other:3371"];
const noting = (note: unknown) =>
  aSatellite({ metadata: { annotations: { [linstorKey]: typeof note === "string" ? note : JSON.stringify(note) } } });
const whole = { v: 1, uid: "u1", url: here, node: "a" };
const nodeOf = (uuid: string) => ({ ...aNode("node-1"), uuid });

test("what is written is read again, and is not written twice", () => {
  const change = noteChange(aSatellite(), here, "a");
  const satellite = aSatellite({ metadata: { annotations: change } });
  expect(readNote(satellite)).toMatchObject({ url: here, node: "a" });
  expect(noteChange(satellite, here, "a")).toEqual({});
  expect(noteChange(satellite, here, undefined)).toEqual({});
  expect(noteChange(satellite, here, "b")).toHaveProperty([linstorKey]);
});

test("at another address nothing is known of the node before LINSTOR has listed it there", () => {
  expect(JSON.parse(noteChange(noting(whole), there, undefined)[linstorKey] ?? "")).toEqual({
    v: 1,
    uid: "u1",
    url: there,
  });
});

test("the uuid of a node that another one has replaced in the same LINSTOR is kept", () => {
  const changed = (note: unknown, url: string, uuid: string | undefined) =>
    JSON.parse(noteChange(noting(note), url, uuid)[linstorKey] ?? "{}");
  expect(formerOf(noting(whole), here, "b")).toBe("a");
  expect(changed(whole, here, "b")).toEqual({ ...whole, node: "b", former: "a" });
  const replaced = { ...whole, node: "b", former: "a" };
  expect(noteChange(noting(replaced), here, undefined)).toEqual({});
  expect(noteChange(noting(replaced), here, "b")).toEqual({});
  expect(changed(replaced, here, "c")).toEqual({ ...replaced, node: "c" });
  expect(changed(replaced, there, "b")).toEqual({ ...replaced, url: there });
  // In another LINSTOR, and where no node was seen before, there was none.
  expect(changed(replaced, there, "c")).toEqual({ ...whole, url: there, node: "c" });
  expect(formerOf(noting({ ...whole, node: undefined }), here, "b")).toBeUndefined();
  expect(formerOf(noting(whole), here, undefined)).toBeUndefined();
  expect(formerOf(aSatellite(), here, "b")).toBeUndefined();
});

test("volumes without a copy stay noted until the node is registered another time, and in this LINSTOR alone", () => {
  const note = { ...whole, node: undefined, without: ["pvc-1"] };
  expect(JSON.parse(noteChange(noting(note), here, "a")[linstorKey] ?? "")).toEqual({ ...note, node: "a" });
  expect(noteChange(noting({ ...note, node: "a" }), here, "a")).toEqual({});
  expect(JSON.parse(noteChange(noting(note), here, undefined, [])[linstorKey] ?? "")).toEqual({
    ...whole,
    node: undefined,
  });
  expect(withoutCopies(noting(note), here)).toEqual(["pvc-1"]);
  expect(withoutCopies(noting(note), there)).toEqual([]);
});

test("a note of another object counts as none", () => {
  expect(readNote(noting({ ...whole, uid: "u0" }))).toBeUndefined();
  expect(isAnother(noting({ ...whole, uid: "u0" }), there, undefined)).toBe(false);
});

test.each<[string, unknown]>([
  ["without an address", { ...whole, url: undefined }],
  ["of a version too new", { ...whole, v: 3 }],
  ["cut short", JSON.stringify(whole).slice(0, 20)],
])("a note %s is about another LINSTOR than any, and says how to repair it", (_, note) => {
  expect(isAnother(noting(note), here, nodeOf("a"))).toBe(true);
  expect(movedBecause(noting(note), undefined, here, "has another node of that name")).toMatchObject({
    message: expect.stringContaining("is damaged"),
    advice: expect.stringMatching(/`kubectl annotate linstorsatellite node-1 holdfast.dev\/linstor-`$/),
  });
  expect(noteChange(noting(note), here, "a")).toHaveProperty([linstorKey]);
});

test("only the same uuid makes another address the same LINSTOR", () => {
  expect(isAnother(noting(whole), here, undefined)).toBe(false);
  expect(isAnother(noting(whole), here, nodeOf("b"))).toBe(false);
  expect(isAnother(noting(whole), there, nodeOf("a"))).toBe(false);
  expect(isAnother(noting(whole), there, nodeOf("b"))).toBe(true);
  expect(isAnother(noting(whole), there, undefined)).toBe(true);
  expect(isAnother(noting(whole), there, aNode("node-1"))).toBe(true);
  const { node: _, ...unseen } = whole;
  expect(isAnother(noting(unseen), there, nodeOf("a"))).toBe(true);
  expect(isAnother(noting(unseen), there, aNode("node-1"))).toBe(true);
});
