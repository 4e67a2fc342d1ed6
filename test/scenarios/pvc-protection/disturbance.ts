import { expect } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { ApiResponse } from "../../../shared/kubernetes/transport.ts";
import { apiFailure } from "../../harness/api-failure.ts";
import type { Call, Cluster } from "../../harness/cluster.ts";
import { noticeOn, noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import {
  bareNode,
  claimGoes,
  claimIsHeld,
  claimOf,
  claimStays,
  deleteClaim,
  deleteHeldByUs,
  isProtected,
  ours,
  protect,
  protectedClaim,
  release,
  removePod,
  runningPod,
  strip,
  stripInTree,
  usedClaim,
} from "./helpers.ts";
import { alone, beside } from "./settings.ts";

type Fault = (send: () => Promise<ApiResponse>) => Promise<ApiResponse>;

/** Lets the first `times` requests that match meet a fault; returns how many did. */
function disturb(cluster: Cluster, times: number, matches: (call: Call) => boolean, fault: Fault): () => number {
  let met = 0;
  cluster.intercept((call, send) => {
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

const fails: Fault = async () => apiFailure(500, "InternalError");

/** Writes that fail, twice. */
const writes: readonly Scenario[] = [
  {
    title: "the finalizer is added although the write is answered with 500, twice",
    async run(cluster) {
      const { admin, namespace } = cluster;
      await protectedClaim(cluster, "data");
      const met = disturb(cluster, 2, writesOf(protect), fails);
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
      await isProtected(cluster, "data");
      expect(met()).toBeGreaterThan(0);
    },
  },
  {
    title: "the claim goes although the write is answered with 500, twice",
    async run(cluster) {
      await protectedClaim(cluster, "data");
      const met = disturb(cluster, 2, writesOf(release), fails);
      await deleteClaim(cluster, "data");
      await claimGoes(cluster, "data");
      expect(met()).toBeGreaterThan(0);
    },
  },
  {
    title: "the claim stays although the write that says who holds it is answered with 500, twice",
    async run(cluster) {
      await usedClaim(cluster);
      const met = disturb(cluster, 2, writesOf(release), fails);
      await deleteHeldByUs(cluster, "data");
      await claimIsHeld(cluster, "data");
      expect(met()).toBeGreaterThan(0);
      await claimStays(cluster, "data");
      await removePod(cluster, "web");
      await claimGoes(cluster, "data");
    },
  },
];

const events: readonly Scenario[] = [
  {
    title: "if every event is lost, the sweep alone has claims protected and released",
    settings: [beside, alone],
    alone: true,
    async run(cluster) {
      await protectedClaim(cluster, "free");
      await protectedClaim(cluster, "held");
      await runningPod(cluster, "web", ["held"]);
      cluster.fate(() => []);
      await deleteClaim(cluster, "free");
      await deleteHeldByUs(cluster, "held");
      const swept = async (done: () => Promise<boolean>) => {
        // Between two of them, other parts of the cluster have to do their work.
        for (const begun = cluster.clock.now(); cluster.clock.now() < begun + 180_000 && !(await done()); ) {
          await cluster.sweep();
          await cluster.rest();
        }
        expect(await done()).toBe(true);
      };
      await swept(async () => !(await claimOf(cluster, "free")));
      await claimIsHeld(cluster, "held");
      await claimStays(cluster, "held");
      await removePod(cluster, "web");
      await swept(async () => !(await claimOf(cluster, "held")));
    },
  },
  {
    title: "a forged event changes nothing that a fresh read would not change",
    async run(cluster) {
      const live = await protectedClaim(cluster, "data");
      const web = await runningPod(cluster, "web", ["data"]);
      const instance = cluster.instance(release);
      const deleted = { ...live, metadata: { ...live.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
      const lies = [
        { change: "update", kind: PersistentVolumeClaim, name: "data", object: deleted },
        { change: "delete", kind: Pod, name: "web", object: web },
        { change: "delete", kind: Pod, name: "no-such-pod" },
        { change: "sweep", kind: PersistentVolumeClaim, name: "no-such-claim" },
      ] as const;
      for (const lie of lies) expect(await instance(lie)).toEqual({ status: 204, headers: {}, body: "" });
      const { metadata } = await isProtected(cluster, "data");
      expect(metadata.deletionTimestamp).toBeUndefined();

      await deleteHeldByUs(cluster, "data");
      await claimIsHeld(cluster, "data");
      for (const lie of lies) expect((await instance(lie)).status).toBe(204);
      await claimStays(cluster, "data");
    },
  },
  {
    title: "an event that is refused for good is shown on the claim, which stays until the cause is fixed",
    alone: true,
    async run(cluster) {
      await protectedClaim(cluster, "data");
      let allowed = false;
      cluster.intercept(({ rule }, send) =>
        rule === release && !allowed ? Promise.resolve(apiFailure(403, "Forbidden")) : send(),
      );
      await deleteClaim(cluster, "data");
      const notice = await noticeOn(cluster, "PersistentVolumeClaim", "data");
      expect(notice).toMatchObject({ type: "Warning", reason: "EventDeadLettered" });
      expect(notice.note).toContain("Grant the function's role what it lacks");
      await claimStays(cluster, "data");
      allowed = true;
      await cluster.sweep();
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "if a policy refuses the finalizer, the claim says so in the policy's words, and gets it with a later sweep",
    alone: true,
    async run(cluster) {
      await protectedClaim(cluster, "data");
      let isRefused = true;
      cluster.intercept(async ({ rule, request: { method } }, send) => {
        const isIts = isRefused && rule === protect && method === "PATCH";
        return isIts ? apiFailure(403, "Forbidden", {}, "ValidatingAdmissionPolicy 'p' denied request: no") : send();
      });
      await strip(cluster, "data", ours(cluster));
      const notice = await cluster.eventually("the claim has the Warning", async () => {
        const notices = await noticesOn(cluster, "PersistentVolumeClaim", "data");
        return notices.find(({ reason }) => reason === "KubernetesRefused");
      });
      expect(notice.note).toMatch(/waits for the API server since .*ValidatingAdmissionPolicy 'p' denied request: no/);
      isRefused = false;
      await cluster.sweep();
      await isProtected(cluster, "data");
    },
  },
];

const requests: readonly Scenario[] = [
  {
    title: "if a list of pods fails, no held claim is released, and the list is read again",
    async run(cluster) {
      await protectedClaim(cluster, "held");
      await protectedClaim(cluster, "free");
      await runningPod(cluster, "web", ["held"]);
      const met = disturb(cluster, 2, listsOfPods, fails);
      await deleteClaim(cluster, "held");
      await deleteClaim(cluster, "free");
      await stripInTree(cluster, "held");
      await claimGoes(cluster, "free");
      expect(met()).toBe(2);
      await claimIsHeld(cluster, "held");
      await claimStays(cluster, "held");
    },
  },
  {
    title: "a pod on the last of many pages of the list holds its claim",
    async run(cluster) {
      await protectedClaim(cluster, "data");
      // Pods are listed by name: this one comes last.
      for (const name of ["a", "b", "c", "d"]) await runningPod(cluster, name, []);
      await runningPod(cluster, "z", ["data"]);
      inPagesOf(cluster, 2);
      await deleteHeldByUs(cluster, "data");
      expect((await claimIsHeld(cluster, "data")).pods).toEqual([{ pod: "z", node: bareNode }]);
      await claimStays(cluster, "data");
      expect(cluster.calls.filter((call) => call.rule === release && isLaterPage(call)).length).toBeGreaterThanOrEqual(
        2,
      );
      await removePod(cluster, "z");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "if a continue token expires between two pages, the list is read again, and the pod holds its claim",
    async run(cluster) {
      await protectedClaim(cluster, "data");
      for (const name of ["a", "b"]) await runningPod(cluster, name, []);
      await runningPod(cluster, "z", ["data"]);
      inPagesOf(cluster, 2);
      const met = disturb(cluster, 1, isLaterPage, async () => apiFailure(410, "Expired"));
      await deleteClaim(cluster, "data");
      expect((await claimIsHeld(cluster, "data")).pods).toEqual([{ pod: "z", node: bareNode }]);
      expect(met()).toBe(1);
      expect(cluster.deliveries.filter(({ status }) => status !== 204)).toEqual([]);
      // Not before: a write of others between look and write is a conflict, and that is no 204.
      await stripInTree(cluster, "data");
      await claimStays(cluster, "data");
    },
  },
  {
    title: "thirty claims deleted at once cost few lists of pods",
    async run(cluster) {
      const names = Array.from({ length: 30 }, (_, index) => `data-${index}`);
      await Promise.all(names.map((name) => protectedClaim(cluster, name)));
      await Promise.all(names.map((name) => deleteClaim(cluster, name)));
      for (const name of names) await claimGoes(cluster, name);
      const lists = cluster.calls.filter((call) => call.rule === release && listsOfPods(call));
      expect(lists.length).toBeLessThan(names.length);
    },
  },
];

const within = (scenarios: readonly Scenario[]) => scenarios.map((scenario) => ({ ...scenario, within: true }));

/** Faults of events, and a write whose event has to be sent again, after which everything is as without them. */
export const eventDisturbance: readonly Scenario[] = within([...writes, ...events]);

/** Faults on the way, after which everything is as without them. */
export const disturbance: readonly Scenario[] = [...eventDisturbance, ...within(requests)];

/** Gives lists of pods so few items a page. */
function inPagesOf(cluster: Cluster, limit: number): void {
  cluster.intercept((call, send) => {
    const path = call.request.path.replace(/limit=\d+/, `limit=${limit}`);
    return listsOfPods(call) ? send({ ...call.request, path }) : send();
  });
}
