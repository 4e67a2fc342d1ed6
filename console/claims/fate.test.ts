import { expect, test } from "vitest";
import type { ClaimObject, SetObject } from "./claim.ts";
import { fateOf } from "./fate.ts";

const set = (replicas: number, whenScaled: "Retain" | "Delete", whenDeleted: "Retain" | "Delete") =>
  ({
    metadata: { name: "web", namespace: "shop" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      volumeClaimTemplates: [{ metadata: { name: "data" } }],
      persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
    },
  }) as unknown as SetObject;
const claim = (name: string, annotations = {}, labels = { app: "web" }) =>
  ({ metadata: { name, annotations, labels }, spec: {} }) as unknown as ClaimObject;
const three = [0, 1, 2].map((ordinal) => claim(`data-web-${ordinal}`));

test("claims that stay are named as well as those that go", () => {
  expect(fateOf(set(3, "Delete", "Retain"), three)).toEqual({
    scaled: "To 2: data-web-2 goes.",
    deleted: "data-web-0 and data-web-1 and data-web-2 stay.",
  });
});

test("a volume that is kept after its claim is said to be", () => {
  const kept = claim("data-web-0", { "holdfast.dev/keep-volume-for": "7d" });
  expect(fateOf(set(1, "Delete", "Delete"), [kept]).scaled).toBe(
    "To 0: data-web-0 goes; an annotation asks to keep the volumes for 7d, if undelete is installed.",
  );
});

test("claims of another set with the same name count for nothing", () => {
  const other = claim("data-web-0", {}, { app: "other" });
  expect(fateOf(set(1, "Delete", "Delete"), [other]).deleted).toBe("The set has no claims.");
});
