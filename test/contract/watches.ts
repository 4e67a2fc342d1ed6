import { describe, expect, test } from "vitest";
import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import { ConfigMap } from "../harness/kinds.ts";
import { configMap, definition } from "../harness/manifest.ts";
import { type RecordedWatch, recordWatch } from "../harness/recorded-watch.ts";
import type { Bench } from "../harness/server.ts";

/** Watches: every change after a version, in order, or 410. */
export function watches(open: () => Promise<Bench>): void {
  const labelSelector = "t=1";
  const create = ({ admin, namespace }: Bench, name: string, labels: Record<string, string> = { t: "1" }) =>
    admin.create(ConfigMap, configMap({ namespace, name, labels }));
  const version = async ({ admin, namespace }: Bench) =>
    (await admin.request<{ metadata: { resourceVersion: string } }>("GET", pathOf(ConfigMap, namespace))).metadata
      .resourceVersion;
  const settled = (bench: Bench, watch: RecordedWatch, last: string) =>
    bench.eventually(`the watch shows ${last}`, () => watch.events().at(-1) === last);

  describe("watch", () => {
    test("from a version shows every later change once, in order, with the object as it then was", async () => {
      const bench = await open();
      await create(bench, "before");
      const watch = recordWatch(bench, ConfigMap, { labelSelector, resourceVersion: await version(bench) });
      await create(bench, "a");
      await bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", { data: { key: "1" } });
      await bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", { data: { key: "1" } });
      await create(bench, "b");
      await bench.admin.delete(ConfigMap, bench.namespace, "a");
      await settled(bench, watch, "DELETED a");
      watch.stop();

      expect(watch.events()).toEqual(["ADDED a", "MODIFIED a", "ADDED b", "DELETED a"]);
      expect(watch.lines[1]?.object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { key: "1" } });
      const versions = watch.lines.map(({ object }) => BigInt(object.metadata.resourceVersion));
      expect(versions).toEqual([...versions].sort((a, b) => (a < b ? -1 : 1)));
    });

    test("from a version in the past replays what happened since", async () => {
      const bench = await open();
      const start = await version(bench);
      await create(bench, "a");
      await bench.admin.delete(ConfigMap, bench.namespace, "a");
      const watch = recordWatch(bench, ConfigMap, { labelSelector, resourceVersion: start });
      await settled(bench, watch, "DELETED a");
      watch.stop();
      expect(watch.events()).toEqual(["ADDED a", "DELETED a"]);
    });

    test("of a kind from before it was served is answered 410", async () => {
      const bench = await open();
      const group = `g${bench.namespace}.example.dev`;
      const lamp: Kind = { apiVersion: `${group}/v1`, kind: "Lamp", plural: "lamps", namespaced: true };
      await bench.admin.create(CustomResourceDefinition, definition(lamp));
      const served = async () => {
        const list = await bench.admin.request("GET", pathOf(lamp, bench.namespace)).catch(() => undefined);
        return list !== undefined;
      };
      await bench.eventually("the kind is served", served);
      const watch = recordWatch(bench, lamp, { resourceVersion: "1" });
      await bench.eventually("the watch ends", () => watch.lines.length > 0);
      watch.stop();
      await bench.admin.delete(CustomResourceDefinition, undefined, `lamps.${group}`);
      expect(watch.lines[0]).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    });

    test("without a version begins with what is there", async () => {
      const bench = await open();
      await create(bench, "a");
      await create(bench, "b");
      const watch = recordWatch(bench, ConfigMap, { labelSelector });
      await bench.eventually("the state is shown", () => watch.lines.length === 2);
      await create(bench, "c");
      await settled(bench, watch, "ADDED c");
      watch.stop();
      expect(watch.events().slice(0, 2).sort()).toEqual(["ADDED a", "ADDED b"]);
    });

    test("with a selector shows an object that comes into it as added, and one that leaves it as deleted", async () => {
      const bench = await open();
      const watch = recordWatch(bench, ConfigMap, { labelSelector, resourceVersion: await version(bench) });
      await create(bench, "a", {});
      const label = (t: string | null) =>
        bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", { metadata: { labels: { t } } });
      await label("1");
      await label(null);
      await create(bench, "last");
      await settled(bench, watch, "ADDED last");
      watch.stop();
      expect(watch.events()).toEqual(["ADDED a", "DELETED a", "ADDED last"]);
    });

    test("of one namespace does not show another", async () => {
      const bench = await open();
      const other = await open();
      const watch = recordWatch(bench, ConfigMap, { labelSelector, resourceVersion: await version(bench) });
      await create(other, "elsewhere");
      await create(bench, "here");
      await settled(bench, watch, "ADDED here");
      watch.stop();
      expect(watch.events()).toEqual(["ADDED here"]);
    });

    test("ends when its timeout is over", async () => {
      const bench = await open();
      const watch = recordWatch(bench, ConfigMap, {
        labelSelector,
        resourceVersion: await version(bench),
        timeoutSeconds: "1",
      });
      await bench.eventually("the watch ends", () => watch.ended);
      expect(watch.status).toBe(200);
    });

    test("says with a bookmark how far it is before it ends, when asked to", async () => {
      const bench = await open();
      const start = await version(bench);
      const query = { labelSelector, resourceVersion: start, allowWatchBookmarks: "true", timeoutSeconds: "10" };
      let watch = recordWatch(bench, ConfigMap, query);
      await create(bench, "unseen", {});
      const bookmark = () => {
        const line = watch.lines.find(({ type }) => type === "BOOKMARK");
        // A busy server may miss the two seconds before the end in which it sends one.
        if (!line && watch.ended) watch = recordWatch(bench, ConfigMap, query);
        return line;
      };
      const { object } = await bench.eventually("a bookmark comes", bookmark);
      watch.stop();
      expect(object.kind).toBe("ConfigMap");
      expect(Object.keys(object.metadata)).not.toContain("name");
      expect(BigInt(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(start));
    });

    test("from a version the server has forgotten is 410, as the answer or as its first line", async () => {
      const bench = await open();
      const { kind, resourceVersion } = await bench.expiredVersion();
      const watch = recordWatch(bench, kind, { resourceVersion });
      await bench.eventually("the server refuses", () => watch.lines.length > 0 || watch.ended);
      watch.stop();
      expect(watch.lines[0]).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });
      expect(watch.status).toBe(200);
    });
  });
}
