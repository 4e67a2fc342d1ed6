import { describe, expect, test } from "vitest";
import { isExpired } from "../../shared/kubernetes/api-error.ts";
import { type Kind, Namespace, PersistentVolumeClaim, Pod, pathOf, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { meets, type Requirement } from "../../shared/kubernetes/requirement.ts";
import { ConfigMap } from "../harness/kinds.ts";
import { configMap, pod } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

interface List {
  kind: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: KubernetesObject[];
}

/** Lists: one moment over many pages, selectors, metadata alone. */
export function lists(open: () => Promise<Bench>): void {
  // A namespace may hold objects of the cluster's own; those of a test carry this label.
  const labels = { t: "1" };
  const list = ({ admin, namespace }: Bench, query: Record<string, string>, kind: Kind = ConfigMap) =>
    admin.request<List>("GET", `${pathOf(kind, namespace)}?${new URLSearchParams(query)}`);
  const names = (objects: readonly KubernetesObject[]) => objects.map(({ metadata }) => metadata.name);

  async function maps(bench: Bench, ...each: string[]): Promise<void> {
    const { admin, namespace } = bench;
    for (const name of each) await admin.create(ConfigMap, configMap({ namespace, name, labels: { ...labels, name } }));
  }

  describe("list", () => {
    test("is ordered by name, says its moment, and its items do not repeat their kind", async () => {
      const bench = await open();
      await maps(bench, "b", "a", "c");
      const { kind, metadata, items } = await list(bench, { labelSelector: "t=1" });
      expect(kind).toBe("ConfigMapList");
      expect(names(items)).toEqual(["a", "b", "c"]);
      expect(items[0]).not.toHaveProperty("kind");
      const versions = items.map((item) => Number(item.metadata.resourceVersion));
      expect(Number(metadata.resourceVersion)).toBeGreaterThanOrEqual(Math.max(...versions));
    });

    test("of nothing, or in a namespace that is not there, is empty", async () => {
      const bench = await open();
      expect((await list(bench, {}, Pod)).items).toEqual([]);
      expect((await list({ ...bench, namespace: "no-such-namespace" }, {}, Pod)).items).toEqual([]);
    });

    test("in pages shows one moment: what comes or goes in between does not show", async () => {
      const bench = await open();
      await maps(bench, "a", "b", "c", "d", "e");
      const query = { labelSelector: "t=1", limit: "2" };
      const first = await list(bench, query);
      await bench.admin.delete(ConfigMap, bench.namespace, "d");
      await maps(bench, "cc");
      const second = await list(bench, { ...query, continue: first.metadata.continue ?? "" });
      const third = await list(bench, { ...query, continue: second.metadata.continue ?? "" });

      expect([first, second, third].map(({ items }) => names(items))).toEqual([["a", "b"], ["c", "d"], ["e"]]);
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      expect(third.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      expect(third.metadata.continue ?? "").toBe("");
    });

    test("through the client walks all pages, and stops when the reader does", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      await maps(bench, "a", "b", "c");
      const options = { namespace, labelSelector: "t=1", pageSize: 1 };
      const all = await Array.fromAsync(admin.list(ConfigMap, options));
      expect(names(all)).toEqual(["a", "b", "c"]);
      expect(all.every(({ kind, apiVersion }) => kind === "ConfigMap" && apiVersion === "v1")).toBe(true);
      for await (const { metadata } of admin.list(ConfigMap, options)) {
        expect(metadata.name).toBe("a");
        break;
      }
    });

    test("counts what remains when nothing is selected away", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      for (const name of ["a", "b", "c"]) await admin.create(Pod, pod({ namespace, name }));
      expect((await list(bench, { limit: "1" }, Pod)).metadata.remainingItemCount).toBe(2);
    });

    test("with a damaged continue token is a bad request", async () => {
      const error = await failure(list(await open(), { limit: "1", continue: "damaged" }));
      expect(error).toMatchObject({ status: 400, reason: "BadRequest" });
      expect(isExpired(error)).toBe(false);
    });

    test("whose moment is forgotten between two pages is 410", async () => {
      const bench = await open();
      await maps(bench, "a", "b", "c");
      const query = { labelSelector: "t=1", limit: "1" };
      const { metadata } = await list(bench, query);
      await maps(bench, "d");
      const error = await failure(list(bench, { ...query, continue: await bench.expire(metadata.continue ?? "") }));
      expect(error).toMatchObject({ status: 410, reason: "Expired" });
      expect(isExpired(error)).toBe(true);
    });

    test("as metadata alone has no spec and says so in its kind", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      await admin.create(Pod, pod({ namespace, name: "a", labels }));
      const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
      const { kind, items } = await admin.request<List>("GET", pathOf(Pod, namespace), undefined, { accept });
      expect(kind).toBe("PartialObjectMetadataList");
      expect(items.map((item) => Object.keys(item).sort())).toEqual([["apiVersion", "kind", "metadata"]]);
      expect(items[0]).toMatchObject({
        apiVersion: "meta.k8s.io/v1",
        kind: "PartialObjectMetadata",
        metadata: { name: "a", labels },
      });

      const [viaClient] = await Array.fromAsync(admin.list(Pod, { namespace, metadataOnly: true }));
      expect(viaClient).toMatchObject({ kind: "Pod", metadata: { name: "a" } });
      expect(viaClient?.spec).toBeUndefined();
      const one = await admin.get(Pod, namespace, "a", { metadataOnly: true });
      expect(one).toMatchObject({ metadata: { name: "a", labels } });
      expect(one?.spec).toBeUndefined();
    });

    test("as the metadata of one object is refused, and so is one object as that of a list", async () => {
      const { admin, namespace } = await open();
      const refused = async (path: string, as: string) => {
        const accept = `application/json;as=${as};g=meta.k8s.io;v=v1`;
        const { status, reason, message } = await failure(admin.request("GET", path, undefined, { accept }));
        return `${status} ${reason}: ${message}`;
      };
      const list = /^406 NotAcceptable: .*you requested PartialObjectMetadata, but the requested object is a list /;
      for (const [group, kind] of Object.entries({ core: Pod, apps: StatefulSet })) {
        const said = await refused(pathOf(kind, namespace), "PartialObjectMetadata");
        expect(said).toMatch(list);
        expect(said).toContain(`(*${group}.${kind.kind}List)`);
      }
      expect(await refused(pathOf(Namespace, undefined, namespace), "PartialObjectMetadataList")).toMatch(
        /^406 .*PartialObjectMetadataList, but the requested object is not a list \(\*core\.Namespace\)/,
      );
    });

    test("so do writes whose answer is of no interest", async () => {
      const { admin, namespace } = await open();
      const unread = { metadataOnly: true };
      const made = await admin.create(Pod, pod({ namespace, name: "a", labels }), unread);
      expect(Object.keys(made).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      const change = { metadata: { labels: { more: "1" } } };
      const patched = await admin.patch(Pod, namespace, "a", "merge", change, unread);
      expect(Object.keys(patched ?? {}).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(patched?.metadata.labels).toEqual({ ...labels, more: "1" });
      const refused = failure(admin.patch(Pod, namespace, "a", "merge", { metadata: { uid: "another" } }, unread));
      expect(await refused).toMatchObject({ status: 422, reason: "Invalid" });
      // The client asks for no more when it deletes.
      expect(await admin.delete(Pod, namespace, "a", { gracePeriodSeconds: 0 })).toBe(true);
      expect(await admin.delete(Pod, namespace, "a")).toBe(false);
    });

    test.each([
      ["name=a", ["a"]],
      ["name==a", ["a"]],
      ["name!=a,t=1", ["b", "c"]],
      ["name in (a,c)", ["a", "c"]],
      ["t,name notin (a)", ["b", "c"]],
      ["extra", ["c"]],
      ["t=1,!extra", ["a", "b"]],
    ])("selects by label: %s", async (labelSelector, expected) => {
      const bench = await open();
      await maps(bench, "a", "b");
      const { admin, namespace } = bench;
      await admin.create(ConfigMap, configMap({ namespace, name: "c", labels: { ...labels, name: "c", extra: "" } }));
      expect(names((await list(bench, { labelSelector })).items)).toEqual(expected);
    });

    // Rules read requirements themselves: each row is asked of the server, too.
    test.each<[Requirement, string]>([
      [{ key: "n", operator: "Gt", values: ["3"] }, "n>3"],
      [{ key: "n", operator: "Lt", values: ["4"] }, "n<4"],
      [{ key: "n", operator: "Lt", values: ["9223372036854775807"] }, "n<9223372036854775807"],
      [{ key: "n", operator: "In", values: ["3", ""] }, "n in (3,)"],
      [{ key: "n", operator: "NotIn", values: ["3", "4.5"] }, "n notin (3,4.5)"],
      [{ key: "n", operator: "Exists" }, "n"],
      [{ key: "n", operator: "DoesNotExist" }, "!n"],
    ])("meets the requirement %j as rules do", async (requirement, labelSelector) => {
      const bench = await open();
      const { admin, namespace } = bench;
      const values = [undefined, "", "3", "4", "4.5", "x4", "9223372036854775808", "9007199254740993"];
      for (const [index, value] of values.entries()) {
        const labels = { t: "1", ...(value === undefined ? {} : { n: value }) };
        await admin.create(ConfigMap, configMap({ namespace, name: `m${index}`, labels }));
      }
      const made = (await list(bench, { labelSelector: "t" })).items;
      const met = made.filter(({ metadata }) => meets(requirement, metadata.labels?.n));
      expect(names((await list(bench, { labelSelector: `t,${labelSelector}` })).items)).toEqual(names(met));
    });

    test("with a label selector that does not parse is a bad request", async () => {
      expect(await failure(list(await open(), { labelSelector: "a in b" }))).toMatchObject({
        status: 400,
        reason: "BadRequest",
      });
    });
  });

  describe("field selectors", () => {
    test.each([
      ["metadata.name=free", ["free"]],
      ["metadata.name!=free", ["bound"]],
      ["spec.nodeName=node-0", ["bound"]],
      ["spec.nodeName!=", ["bound"]],
      ["spec.nodeName=", ["free"]],
      ["status.phase=Pending", ["bound", "free"]],
      ["status.phase!=Pending", []],
      ["spec.restartPolicy=Never", ["free"]],
      ["spec.schedulerName=by-hand,spec.nodeName!=", ["bound"]],
      ["spec.serviceAccountName=default", ["bound", "free"]],
    ])("of pods: %s", async (fieldSelector, expected) => {
      const bench = await open();
      const { admin, namespace } = bench;
      await admin.create(
        Pod,
        pod({ namespace, name: "bound" }, [], { nodeName: "node-0", serviceAccountName: "default" }),
      );
      await admin.create(
        Pod,
        pod({ namespace, name: "free" }, [], { restartPolicy: "Never", serviceAccountName: "default" }),
      );
      expect(names((await list(bench, { fieldSelector }, Pod)).items)).toEqual(expected);
    });

    test("of pods know nothing of claims", async () => {
      const error = await failure(list(await open(), { fieldSelector: "spec.volumes=a" }, Pod));
      expect(error).toMatchObject({ status: 400, reason: "BadRequest" });
      expect(error.message).toContain("field label not supported: spec.volumes");
    });

    test("of other kinds know name and namespace only", async () => {
      const bench = await open();
      await maps(bench, "a", "b");
      expect(names((await list(bench, { fieldSelector: "metadata.name=b" })).items)).toEqual(["b"]);
      const error = await failure(list(bench, { fieldSelector: "status.phase=Bound" }, PersistentVolumeClaim));
      expect(error).toMatchObject({ status: 400, reason: "BadRequest" });
    });
  });
}
