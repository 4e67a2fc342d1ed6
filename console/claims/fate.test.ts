import { expect, test, vi } from "vitest";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { SetObject } from "./claim.ts";
import { fateOf } from "./fate.ts";

const set = (replicas: number, whenScaled: "Retain" | "Delete", whenDeleted: "Retain" | "Delete", start = 0) =>
  ({
    metadata: { name: "web", namespace: "shop", uid: "u-web" },
    spec: {
      replicas,
      ordinals: { start },
      selector: { matchLabels: { app: "web" } },
      volumeClaimTemplates: [{ metadata: { name: "data" } }],
      persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
    },
  }) as unknown as SetObject;
const claim = (name: string, more = {}, labels = { app: "web" }) =>
  ({ metadata: { name, labels, ...more }, spec: {} }) as unknown as KubernetesObject;
const pod = (ordinal: number) =>
  ({
    metadata: { name: `web-${ordinal}`, uid: `u-${ordinal}`, ownerReferences: [{ uid: "u-web" }] },
  }) as unknown as KubernetesObject;
const claims = [0, 1, 2].map((ordinal) => claim(`data-web-${ordinal}`));
const pods = [0, 1, 2].map(pod);
const never = { keptFor: () => undefined, isInstalled: undefined };
const keptFor = (text: string | null, isInstalled?: boolean) => ({ keptFor: () => text, isInstalled });

test("claims that stay are named as well as those that go", () => {
  const { scaled, deleted } = fateOf({ set: set(3, "Delete", "Retain"), pods, claims }, never);
  expect(scaled(2)).toBe("To 2: data-web-2 goes.");
  expect(deleted).toBe("data-web-0 and data-web-1 and data-web-2 stay. The set's whenDeleted is Retain.");
});

test("a scale-down by more than one replica takes along the claims of all that go", () => {
  const { scaled } = fateOf({ set: set(3, "Delete", "Retain"), pods, claims }, keptFor("7d"));
  const kept = "an annotation asks to keep the volumes for 7d, if undelete is installed";
  expect(scaled(1)).toBe(`To 1: data-web-1 and data-web-2 go; ${kept}.`);
  const { scaled: retained } = fateOf({ set: set(3, "Retain", "Retain"), pods, claims }, never);
  expect(retained(1)).toBe("To 1: data-web-1 and data-web-2 stay. The set's whenScaled is Retain.");
});

test("the last replica of a set whose ordinals begin later is the one that a scale-down takes", () => {
  const { scaled } = fateOf({ set: set(2, "Delete", "Retain", 1), pods: pods.slice(1), claims }, never);
  expect(scaled(1)).toBe("To 1: data-web-2 goes.");
});

test("a claim that another object owns, or that has no pod, is said to stay", () => {
  const owned = claim("data-web-2", { ownerReferences: [{ kind: "Backup", name: "nightly", uid: "u-other" }] });
  const stays = (claims: readonly KubernetesObject[], pods: readonly KubernetesObject[]) =>
    fateOf({ set: set(3, "Delete", "Retain"), pods, claims }, never).scaled(2);
  expect(stays([owned], pods)).toBe("To 2: data-web-2 stays. Backup nightly owns it, too.");
  expect(stays(claims, [])).toBe("To 2: data-web-2 stays. It has no pod that the scale-down could take along.");
});

test("a claim that the pod of another workload owns is said to stay", () => {
  const owned = claim("data-web-2", { ownerReferences: [{ kind: "Pod", name: "backup", uid: "u-backup" }] });
  const other = { metadata: { name: "backup", uid: "u-backup" } } as unknown as KubernetesObject;
  const { scaled } = fateOf({ set: set(3, "Delete", "Retain"), pods: [...pods, other], claims: [owned] }, never);
  expect(scaled(2)).toBe("To 2: data-web-2 stays. Pod backup owns it, too.");
});

test("a volume that is kept after its claim is said to be", () => {
  const { scaled } = fateOf({ set: set(1, "Delete", "Delete"), pods, claims: claims.slice(0, 1) }, keptFor("7d"));
  expect(scaled(0)).toBe(
    "To 0: data-web-0 goes; an annotation asks to keep the volumes for 7d, if undelete is installed.",
  );
});

test("where it is not known whether a volume is kept, this is said", () => {
  const { scaled } = fateOf({ set: set(1, "Delete", "Delete"), pods, claims: claims.slice(0, 1) }, keptFor(null));
  expect(scaled(0)).toBe("To 0: data-web-0 goes; whether an annotation asks to keep the volumes is not known.");
  const stays = fateOf({ set: set(3, "Retain", "Retain"), pods, claims }, keptFor(null)).scaled(2);
  expect(stays).toBe("To 2: data-web-2 stays. The set's whenScaled is Retain.");
});

test("claims of another set with the same name count for nothing", () => {
  const other = claim("data-web-0", {}, { app: "other" });
  expect(fateOf({ set: set(1, "Delete", "Delete"), pods, claims: [other] }, never).deleted).toBe(
    "The set has no claims.",
  );
});

test.each([
  [true, "7d", "the volumes are kept for 7d: until 2026-01-08T12:00Z if you do this now"],
  [true, "long", "an annotation asks to keep the volumes for long"],
  [false, "7d", "an annotation asks to keep the volumes for 7d, but undelete is not installed"],
  [undefined, "7d", "an annotation asks to keep the volumes for 7d, if undelete is installed"],
])("with undelete installed: %s, volumes to be kept for %s", (isInstalled, text, words) => {
  vi.useFakeTimers({ now: new Date("2026-01-01T12:00:00Z") });
  const said = fateOf({ set: set(3, "Delete", "Delete"), pods, claims }, keptFor(text, isInstalled)).scaled(2);
  vi.useRealTimers();
  expect(said).toBe(`To 2: data-web-2 goes; ${words}.`);
});
