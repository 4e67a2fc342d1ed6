import { describe, expect, test } from "vitest";
import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import {
  type Kind,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  ResourceQuota,
  StorageClass,
} from "../../../shared/kubernetes/kind.ts";
import { partly } from "../../../shared/look-at-each.ts";
import { claim, done, now, saying, volume } from "../lib/testing/volume.ts";
import { reachedLimit, readRoom } from "./limits.ts";
import { type Facts, retain } from "./rule.ts";
import { settings as schema } from "./settings.ts";

const byDefault = schema.parse({});
const anyClass = "requests.storage";
const fastClass = "fast.storageclass.storage.k8s.io/requests.storage";

const quota = (hard: object, more = {}) => ({ ...saying("team"), spec: { hard, ...more } });

/** A kept volume of 5Gi of the class `standard`. */
const kept = (storageClassName = "standard", asked?: string) => {
  const one = volume({ phase: "Available", note: { step: "offered", asked } });
  return { ...one, spec: { ...one.spec, storageClassName, capacity: { storage: "5Gi" } } };
};

function serving(quotas: readonly object[], noted: readonly object[]) {
  const listed: string[] = [];
  const client = {
    async *list(kind: Kind) {
      listed.push(kind.kind);
      yield* kind.kind === ResourceQuota.kind ? quotas : noted;
    },
  } as never;
  return { client, listed };
}

const free = { ...kept(), status: { phase: "Bound" } };

describe("by default, a volume is limited rightly with", () => {
  const itsClass = "standard.storageclass.storage.k8s.io/requests.storage";
  const limits = async (quotas: object[], noted: object[], reached?: object) => {
    const room = await readRoom(serving(quotas, noted).client, "shop", byDefault);
    const found = reachedLimit(free, room);
    if (reached) expect(found).toMatchObject(reached);
    else expect(found).toBeUndefined();
  };
  test("no quota", () => limits([], [kept()]));
  test("a quota of pods alone", () => limits([quota({ pods: "1" })], [kept()]));
  test("less kept than the quota allows", () => limits([quota({ [anyClass]: "6Gi" })], [kept()]));
  test("as much kept as the quota allows", () =>
    limits([quota({ [anyClass]: "10Gi" })], [kept(), kept("fast")], { kept: 10 * 2 ** 30, most: 10 * 2 ** 30 }));
  test("less asked for by the claims than the quota allows, on larger volumes", () =>
    limits([quota({ [anyClass]: "5Gi" })], [kept("standard", "4Gi")]));
  test("as much kept as the smaller of two quotas allows", () =>
    limits([quota({ [anyClass]: "10Gi" }), quota({ [anyClass]: "5Gi" })], [kept()], { most: 5 * 2 ** 30 }));
  test("as much kept as a quota of its class allows", () =>
    limits([quota({ [itsClass]: "5Gi" })], [kept()], {
      storageClass: "standard",
    }));
  test("as much kept as a quota of another class allows", () =>
    limits([quota({ [fastClass]: "5Gi" })], [kept("fast")]));
  test("a quota of 0, under which no claim can be created", () => limits([quota({ [anyClass]: "0" })], [kept()]));
  test("quotas that do not count each claim", () =>
    limits(
      [quota({ [anyClass]: "1Gi" }, { scopes: ["BestEffort"] }), quota({ [anyClass]: "1Gi" }, { scopeSelector: {} })],
      [kept()],
    ));
});

test("without a quota of storage, the volumes of the namespace are not read", async () => {
  const { client, listed } = serving([quota({ pods: "1" })], [kept()]);
  await readRoom(client, "shop", byDefault);
  expect(listed).toEqual(["ResourceQuota"]);
});

test.each([
  { mostKept: "5Gi", reached: true, listed: ["PersistentVolume"] },
  { mostKept: "6Gi", reached: false, listed: ["PersistentVolume"] },
  { mostKept: "none", reached: false, listed: [] },
])("with MOST_KEPT=$mostKept, a quota has no effect", async ({ mostKept, reached, listed }) => {
  const server = serving([quota({ [anyClass]: "1Gi" })], [kept()]);
  const room = await readRoom(server.client, "shop", schema.parse({ mostKept }));
  expect(reachedLimit(free, room) !== undefined).toBe(reached);
  expect(server.listed).toEqual(listed);
});

/** An API server with one bound volume, its claim and namespace, and a quota that is used up. */
function withFullQuota(says: { claim?: string; namespace?: string; class?: string }, refused?: ApiError) {
  const objects = new Map<unknown, unknown>([
    [PersistentVolume, volume({ phase: "Bound", note: null, policy: "Delete" })],
    [PersistentVolumeClaim, claim("claim", "pv", says.claim)],
    [Namespace, saying("shop", says.namespace)],
    [StorageClass, saying("standard", says.class)],
  ]);
  return {
    get: async (kind: unknown) => objects.get(kind),
    async *list(kind: Kind) {
      if (refused) throw refused;
      yield* kind.kind === ResourceQuota.kind ? [quota({ [anyClass]: "5Gi" })] : [kept()];
    },
  } as never;
}

const lookAt = (client: never) =>
  partly(
    () =>
      retain.look({ kind: PersistentVolume, name: "pv" }, { client, settings: byDefault }) as Promise<readonly Facts[]>,
  );

test.each([
  { what: "its claim asks to keep it", says: { claim: "24h" }, step: "unkept" },
  { what: "its class asks to keep it", says: { class: "24h" }, step: "unkept" },
  { what: "its namespace asks to keep it", says: { namespace: "24h" }, step: "retained" },
  { what: "its namespace asks, and its claim, too", says: { namespace: "24h", claim: "7d" }, step: "retained" },
  { what: "its namespace asks for nothing", says: { namespace: "none", claim: "7d" }, step: "unkept" },
])("above the quota, a volume is $step if $what", async ({ says, step }) => {
  const [onVolume, onClaim] = retain.decide((await lookAt(withFullQuota(says))).facts, now, byDefault);
  expect(done(onVolume)).toMatchObject({ step });
  if (step === "retained") return;
  expect(onVolume?.message).toContain("its ResourceQuota team allows 5Gi of requests.storage");
  expect(onVolume?.message).toContain(
    "annotate the namespace with holdfast.dev/keep-volume-for and a time such as 24h",
  );
  expect(onClaim).toMatchObject({ event: { reason: "NamespaceFull" } });
});

test("the note has what the claim asked for if the volume is larger", () => {
  const askedIn = (capacity: string, storage: string) => {
    const one = { ...free, spec: { ...free.spec, capacity: { storage: capacity } } };
    const asks = claim("claim", "pv", "24h");
    const [decision] = retain.decide(
      [
        {
          volume: one,
          claim: { ...asks, spec: { ...asks.spec, resources: { requests: { storage } } } },
          namespace: saying("shop"),
        },
      ],
      now,
      byDefault,
    );
    return decision?.do === "write" && typeof decision.step === "object" && decision.step.details?.asked;
  };
  expect([askedIn("100Gi", "10Gi"), askedIn("10Gi", "10Gi")]).toEqual(["10Gi", undefined]);
});

test("a volume is kept where a role of an older version does not allow to list quotas", async () => {
  const error = new ApiError("GET", { status: 403, reason: "Forbidden", message: "no right" });
  const { facts } = await lookAt(withFullQuota({ claim: "24h" }, error));
  expect(done(retain.decide(facts, now, byDefault)[0])).toMatchObject({ step: "retained" });
});

test("a volume whose limits cannot be read is left as it is, and the event comes again", async () => {
  const error = new ApiError("GET", { status: 500, reason: "InternalError", message: "a fault" });
  await expect(lookAt(withFullQuota({ claim: "24h" }, error))).rejects.toThrow("a fault");
});
