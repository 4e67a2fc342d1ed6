import { expect, test } from "vitest";
import { parse } from "yaml";
import { Namespace, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { progressKey } from "../../shared/progress.ts";
import { claim, manifest, pod } from "../harness/manifest.ts";
import { openCliCluster } from "./open-cluster.ts";

const release = "pvc-protection/release";
const hostile = "\u001b[2J\u001b]0;title\u0007 over\rwritten \u009b31m \u202ereversed";
/** What a terminal obeys: control characters except the line's end, and an override of the direction. */
const obeyed = /[^\P{Cc}\n]|\u202e/u;

test("what a tenant writes into an annotation is shown as text, and no terminal obeys it", async () => {
  const cluster = await openCliCluster([release]);
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  const finalizers = ["holdfast.dev/pvc-protection"];
  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data", finalizers }));
  await admin.create(Pod, pod({ namespace: "shop", name: "web" }, ["data"], { nodeName: "worker-1" }));
  await admin.delete(PersistentVolumeClaim, "shop", "data");
  const { uid } = (await admin.get(PersistentVolumeClaim, "shop", "data"))!.metadata;
  const because = hostile;
  const written = JSON.stringify({ v: 1, uid, step: "in-tree-silent", since: hostile, next: hostile, because });
  const annotations = { [progressKey(release)]: written };
  await admin.patch(PersistentVolumeClaim, "shop", "data", "merge", { metadata: { annotations } });

  for (const args of [["explain", "pvc/data", "-n", "shop"], ["status", "-o", "wide"], ["doctor"]]) {
    const { out, err } = await cluster.holdfast(args);
    expect([args, obeyed.test(out), obeyed.test(err)]).toEqual([args, false, false]);
    expect(out, args[0]).toContain("\\u202ereversed");
  }
  for (const [format, read] of [["json", JSON.parse] as const, ["yaml", (text: string) => parse(text)] as const]) {
    const { out } = await cluster.holdfast(["explain", "pvc/data", "-n", "shop", "-o", format]);
    expect([format, obeyed.test(out)]).toEqual([format, false]);
    expect(read(out).words[0].written).toMatchObject({ since: hostile, because: hostile });
  }
  const { err } = await cluster.holdfast(["explain", `pvc/${hostile.replaceAll(/[/ ]/g, "")}`, "-n", "shop"]);
  expect([obeyed.test(err), err]).toEqual([false, expect.stringContaining("\\u001b")]);
});
