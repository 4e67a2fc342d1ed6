import fc from "fast-check";
import { expect, test } from "vitest";
import { Lease } from "../kubernetes/lease.ts";
import { admit, grant, type Member, maxUnavailable, readGranted } from "./budget.ts";

const member = (name: string, more: Partial<Member> = {}): Member => ({
  ...{ uid: `u-${name}`, name, group: "", isOut: false, isLeaving: true },
  ...more,
});
const [a, b, c] = [member("a"), member("b"), member("c")];

test("one may go where none is out, and is noted", () =>
  expect(admit(a, [a, b, c], [], "1")).toEqual({ admitted: true, granted: ["u-a"] }));

test.each<[string, readonly Member[], readonly string[]]>([
  ["is out", [a, member("b", { isOut: true, isLeaving: false }), c], []],
  ["was admitted, and has not begun", [a, b, c], ["u-b"]],
])("none may go while another %s", (_, members, granted) =>
  expect(admit(a, members, granted, "1")).toEqual({ admitted: false, most: 1, of: 3, out: ["b"] }),
);

test("a member that was admitted, and stays or is gone, no longer counts", () => {
  const stays = member("b", { isLeaving: false });
  expect(admit(a, [a, stays], ["u-b", "u-gone"], "1")).toEqual({ admitted: true, granted: ["u-a"] });
});

test("a member that was admitted before waits while another one is out", () => {
  const out = member("b", { isOut: true, isLeaving: false });
  expect(admit(a, [a, out], ["u-a"], "1")).toMatchObject({ admitted: false, out: ["b"] });
});

test("a member that was admitted before may go, and groups do not count each other", () => {
  expect(admit(a, [a, b], ["u-a", "u-b"], "1").admitted).toBe(true);
  expect(admit(a, [a, member("b", { group: "x", isOut: true })], [], "1").admitted).toBe(true);
});

test("a percentage is rounded down, and is one at least; 0 leaves it to the person who agrees to each", () => {
  const many = Array.from({ length: 25 }, (_, at) => member(`n${at}`, { isOut: at < 2 }));
  const last = many[24] as Member;
  expect(admit(last, many, [], "10%")).toMatchObject({ admitted: false, most: 2 });
  expect(admit(last, many, [], "12%").admitted).toBe(true);
  expect(admit(a, [a, b], [], "1%").admitted).toBe(true);
  expect(admit(last, many, [], "0").admitted).toBe(true);
  for (const wrong of ["", "-1", "1.5", "101%", "many"]) expect(maxUnavailable.safeParse(wrong).success).toBe(false);
});

test("never more members than the budget are admitted, in any order of asking", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (askers, most) => {
      const members = Array.from({ length: 10 }, (_, at) => member(`n${at}`));
      let granted: readonly string[] = [];
      for (const at of askers) {
        const verdict = admit(members[at] as Member, members, granted, String(most));
        if (verdict.admitted) granted = verdict.granted;
      }
      expect(granted.length).toBeLessThanOrEqual(most);
    }),
  );
});

test("of two that read the same register, the guard lets one write; the same is not written twice", () => {
  const metadata = { namespace: "holdfast", name: "r", uid: "l", resourceVersion: "7", annotations: {} };
  const register = { apiVersion: Lease.apiVersion, kind: Lease.kind, metadata };
  const [write] = grant(register, metadata, ["u-a"]);
  expect(write).toMatchObject({ patch: { metadata: { uid: "l", resourceVersion: "7" } } });
  const written = { ...register, metadata: { ...metadata, annotations: { "holdfast.dev/granted": '["u-a"]' } } };
  expect([grant(written, metadata, ["u-a"]), readGranted(written)]).toEqual([[], ["u-a"]]);
  expect(grant(undefined, metadata, ["u-a"])).toMatchObject([{ verb: "create" }]);
  const damaged = { ...register, metadata: { ...metadata, annotations: { "holdfast.dev/granted": "{" } } };
  expect(() => readGranted(damaged)).toThrow("kubectl delete lease -n holdfast r");
});
