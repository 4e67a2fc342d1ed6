import { expect } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { ApiResponse } from "../../../shared/kubernetes/transport.ts";
import { answer } from "../../worlds/answer.ts";
import type { Call, World } from "../../worlds/world.ts";
import { noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import {
  bareNode,
  claimGoes,
  claimIsHeld,
  claimOf,
  claimStays,
  deleteClaim,
  isProtected,
  protect,
  protectedClaim,
  release,
  removePod,
  runningPod,
  stripInTree,
} from "./helpers.ts";
import { alone, beside } from "./settings.ts";

type Fault = (send: () => Promise<ApiResponse>) => Promise<ApiResponse>;

/** Lets the first `times` requests that match meet a fault; returns how many did. */
function disturb(world: World, times: number, matches: (call: Call) => boolean, fault: Fault): () => number {
  let met = 0;
  world.intercept((call, send) => {
    if (met === times || !matches(call)) return send();
    met++;
    return fault(send);
  });
  return () => met;
}

const writesOf =
  (rule: string) =>
  ({ rule: by, request }: Call) =>
    by === rule && request.method === "PATCH" && /persistentvolumeclaims/.test(request.path);
const listsOfPods = ({ request }: Call) => request.method === "GET" && /\/pods\?/.test(request.path);

const isLaterPage = (call: Call) => listsOfPods(call) && /[?&]continue=/.test(call.request.path);

const faults: readonly (readonly [string, Fault])[] = [
  ["answered with a conflict", async () => answer(409, "Conflict")],
  ["answered with 500", async () => answer(500, "InternalError")],
  ["answered with 503", async () => answer(503, "ServiceUnavailable")],
  ["answered with 429", async () => answer(429, "TooManyRequests", { "retry-after": "1" })],
  ["never sent", () => Promise.reject(new Error("connection refused"))],
  [
    "done, but its answer is lost",
    async (send) => {
      await send();
      throw new Error("connection reset");
    },
  ],
];

const disturbed: readonly Scenario[] = [
  ...faults.flatMap(([what, fault]): Scenario[] => [
    {
      title: `the finalizer is added although the write is ${what}, twice`,
      async run(world) {
        const { admin, namespace } = world;
        await protectedClaim(world, "data");
        const met = disturb(world, 2, writesOf(protect), fault);
        await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
        await isProtected(world, "data");
        expect(met()).toBeGreaterThan(0);
      },
    },
    {
      title: `the claim goes although the write is ${what}, twice`,
      async run(world) {
        await protectedClaim(world, "data");
        const met = disturb(world, 2, writesOf(release), fault);
        await deleteClaim(world, "data");
        await claimGoes(world, "data");
        expect(met()).toBeGreaterThan(0);
      },
    },
    {
      title: `the claim stays although the write that says who holds it is ${what}, twice`,
      async run(world) {
        await protectedClaim(world, "data");
        await runningPod(world, "web", ["data"]);
        const met = disturb(world, 2, writesOf(release), fault);
        await deleteClaim(world, "data");
        await stripInTree(world, "data");
        await claimIsHeld(world, "data");
        expect(met()).toBeGreaterThan(0);
        await claimStays(world, "data");
        await removePod(world, "web");
        await claimGoes(world, "data");
      },
    },
  ]),
  {
    title: "a list of pods that fails releases nothing, and is begun again",
    async run(world) {
      await protectedClaim(world, "held");
      await protectedClaim(world, "free");
      await runningPod(world, "web", ["held"]);
      const met = disturb(world, 2, listsOfPods, async () => answer(500, "InternalError"));
      await deleteClaim(world, "held");
      await deleteClaim(world, "free");
      await stripInTree(world, "held");
      await claimGoes(world, "free");
      expect(met()).toBe(2);
      await claimIsHeld(world, "held");
      await claimStays(world, "held");
    },
  },
  {
    title: "a user on the last of many pages is found",
    async run(world) {
      await protectedClaim(world, "data");
      // Pods are listed by name: this one comes last.
      for (const name of ["a", "b", "c", "d"]) await runningPod(world, name, []);
      await runningPod(world, "z", ["data"]);
      inPagesOf(world, 2);
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      expect((await claimIsHeld(world, "data")).pods).toEqual([{ pod: "z", node: bareNode }]);
      await claimStays(world, "data");
      expect(world.calls.filter((call) => call.rule === release && isLaterPage(call)).length).toBeGreaterThanOrEqual(2);
      await removePod(world, "z");
      await claimGoes(world, "data");
    },
  },
  {
    title: "a list whose continue token expires between two pages is begun again, and finds the user all the same",
    async run(world) {
      await protectedClaim(world, "data");
      for (const name of ["a", "b"]) await runningPod(world, name, []);
      await runningPod(world, "z", ["data"]);
      inPagesOf(world, 2);
      const met = disturb(world, 1, isLaterPage, async () => answer(410, "Expired"));
      await deleteClaim(world, "data");
      expect((await claimIsHeld(world, "data")).pods).toEqual([{ pod: "z", node: bareNode }]);
      expect(met()).toBe(1);
      expect(world.deliveries.filter(({ status }) => status !== 204)).toEqual([]);
      // Not before: a write of others between look and write is a conflict, and that is no 204.
      await stripInTree(world, "data");
      await claimStays(world, "data");
    },
  },
  {
    title: "every event twice changes nothing",
    async run(world) {
      world.fate(() => [0, 0]);
      await heldAndReleased(world);
    },
  },
  {
    title: "events in another order change nothing",
    async run(world) {
      let count = 0;
      world.fate(() => [(++count % 3) * 400]);
      await heldAndReleased(world);
    },
  },
  {
    title: "with every event lost the sweep brings claims to their end",
    alone: true,
    async run(world) {
      await protectedClaim(world, "free");
      await protectedClaim(world, "held");
      await runningPod(world, "web", ["held"]);
      world.fate(() => []);
      await deleteClaim(world, "free");
      await deleteClaim(world, "held");
      await stripInTree(world, "held");
      const swept = async (done: () => Promise<boolean>) => {
        // Between two of them others have to do their part, and take their time.
        for (const begun = world.clock.now(); world.clock.now() < begun + 180_000 && !(await done()); ) {
          await world.sweep();
          await world.rest();
        }
        expect(await done()).toBe(true);
      };
      await swept(async () => !(await claimOf(world, "free")));
      await claimIsHeld(world, "held");
      await claimStays(world, "held");
      await removePod(world, "web");
      await swept(async () => !(await claimOf(world, "held")));
    },
  },
  {
    title: "an event that lies changes nothing that a fresh read would not",
    async run(world) {
      const live = await protectedClaim(world, "data");
      const web = await runningPod(world, "web", ["data"]);
      const instance = world.instance(release);
      const deleted = { ...live, metadata: { ...live.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
      const lies = [
        { change: "update", kind: PersistentVolumeClaim, name: "data", object: deleted },
        { change: "delete", kind: Pod, name: "web", object: web },
        { change: "delete", kind: Pod, name: "no-such-pod" },
        { change: "sweep", kind: PersistentVolumeClaim, name: "no-such-claim" },
      ] as const;
      for (const lie of lies) expect(await instance(lie)).toEqual({ status: 204, headers: {}, body: "" });
      const { metadata } = await isProtected(world, "data");
      expect(metadata.deletionTimestamp).toBeUndefined();

      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      await claimIsHeld(world, "data");
      for (const lie of lies) expect((await instance(lie)).status).toBe(204);
      await claimStays(world, "data");
    },
  },
  {
    title: "two instances at once do what one does",
    async run(world) {
      for (const name of ["free", "held"]) await protectedClaim(world, name);
      await runningPod(world, "web", ["held"]);
      world.fate(({ kind }) => (kind === "PersistentVolumeClaim" ? [] : undefined));
      for (const name of ["free", "held"]) await deleteClaim(world, name);
      for (const name of ["free", "held"]) await stripInTree(world, name);
      const instances = [world.instance(release), world.instance(release)];
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(
          instances.flatMap((instance) =>
            ["free", "held"].map((name) => instance({ change: "sweep", kind: PersistentVolumeClaim, name })),
          ),
        );
        for (const { status } of answers) expect([204, 503]).toContain(status);
      }
      await claimGoes(world, "free");
      expect((await claimIsHeld(world, "held")).pods).toEqual([{ pod: "web", node: bareNode }]);
      await claimStays(world, "held");
      await removePod(world, "web");
      await claimGoes(world, "held");
    },
  },
  {
    title: "an event that is refused for good is shown on the claim, which stays until somebody has seen to it",
    alone: true,
    async run(world) {
      await protectedClaim(world, "data");
      let allowed = false;
      world.intercept(({ rule }, send) =>
        rule === release && !allowed ? Promise.resolve(answer(403, "Forbidden")) : send(),
      );
      await deleteClaim(world, "data");
      const [notice] = await world.eventually("the claim shows the dead-lettered event", async () => {
        const notices = await noticesOn(world, "PersistentVolumeClaim", "data");
        return notices.length > 0 && notices;
      });
      expect(notice).toMatchObject({ type: "Warning", reason: "EventDeadLettered" });
      expect(notice?.note).toContain("Grant the function's role what it lacks");
      await claimStays(world, "data");
      allowed = true;
      await world.sweep();
      await claimGoes(world, "data");
    },
  },
  {
    title: "thirty claims deleted at once cost few lists of pods",
    async run(world) {
      const names = Array.from({ length: 30 }, (_, index) => `data-${index}`);
      await Promise.all(names.map((name) => protectedClaim(world, name)));
      await Promise.all(names.map((name) => deleteClaim(world, name)));
      for (const name of names) await claimGoes(world, name);
      const lists = world.calls.filter((call) => call.rule === release && listsOfPods(call));
      expect(lists.length).toBeLessThan(names.length);
    },
  },
  {
    title: "a function that dies after any of its calls is followed by one that goes on",
    async run(world) {
      for (let survived = 0; survived < 5; survived++) {
        const name = `data-${survived}`;
        await protectedClaim(world, name);
        await runningPod(world, `web-${survived}`, [name]);
        let left = survived;
        // Dead: nothing goes out any more, until the next event starts another.
        world.intercept((_, send) => (left-- > 0 ? send() : left > -4 ? Promise.reject(new Error("killed")) : send()));
        await deleteClaim(world, name);
        await stripInTree(world, name);
        await claimIsHeld(world, name);
        await claimStays(world, name);
        await removePod(world, `web-${survived}`);
        await claimGoes(world, name);
      }
    },
  },
];

/**
 * Things go wrong on the way; in the end everything is as if they had not. What goes wrong does not depend on the mode.
 */
export const disturbance: readonly Scenario[] = disturbed.map((scenario) => ({
  ...scenario,
  within: true,
  settings: [beside, alone],
}));

/** Gives lists of pods so few items a page. */
function inPagesOf(world: World, limit: number): void {
  world.intercept((call, send) => {
    const path = call.request.path.replace(/limit=\d+/, `limit=${limit}`);
    return listsOfPods(call) ? send({ ...call.request, path }) : send();
  });
}

async function heldAndReleased(world: World): Promise<void> {
  for (const name of ["free", "held"]) await protectedClaim(world, name);
  await runningPod(world, "web", ["held"]);
  for (const name of ["free", "held"]) await deleteClaim(world, name);
  await stripInTree(world, "held");
  await claimGoes(world, "free");
  expect((await claimIsHeld(world, "held")).pods).toEqual([{ pod: "web", node: bareNode }]);
  await claimStays(world, "held");
  await removePod(world, "web");
  await claimGoes(world, "held");
}
