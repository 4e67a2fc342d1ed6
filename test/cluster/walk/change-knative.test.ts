import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubectl, run } from "../kubectl.ts";
import { ownCluster } from "../own-cluster.ts";
import { blocksBelow } from "./page.ts";
import { openWalk, type Walk } from "./walk.ts";

const cluster = ownCluster;
const definitions = process.env.HOLDFAST_KNATIVE_CRDS;
const page = "docs/install-without-knative.md";

describe.skipIf(!cluster || !kubectl || !definitions)("the change from Knative to none, and back", () => {
  if (!cluster || !definitions) return;
  const { kubeconfig } = cluster;
  const folder = mkdtempSync(join(tmpdir(), "walk-change-"));
  const knative = (verb: string, ...more: string[]) =>
    ["knative-eventing", "knative-serving"].map((part) =>
      run([verb, ...more, "-f", join(definitions, part)], kubeconfig),
    );
  const kinds = "deployments,services,ksvc,triggers,brokers,apiserversources,pingsources";
  const installed = () => run(["get", kinds, "-n", "holdfast", "-o", "name"], kubeconfig).split("\n").filter(Boolean);
  const namesOf = (prefix: string) => installed().filter((name) => name.startsWith(prefix));
  let walk: Walk;

  beforeAll(async () => {
    knative("apply", "--server-side");
    run(["wait", "--for=condition=established", "--all", "crd", "--timeout=120s"], kubeconfig);
    walk = openWalk(folder, kubeconfig, { texts: [["\u0000", ""]], commands: {} });
    await walk.run("kubectl apply -k knative/overlays/default");
  });
  afterAll(() => {
    for (const overlay of ["default", "no-knative"])
      run(["delete", "--ignore-not-found", "-k", join(walk.checkout, "knative/overlays", overlay)], kubeconfig);
    knative("delete", "--ignore-not-found");
    rmSync(folder, { recursive: true });
  });

  test("leave nothing that sends an event or runs a function of the one when the other comes", async () => {
    const [toNone, toKnative, apply] = blocksBelow(page, "Change from Knative, and back").map(({ text }) => text);
    // The status is of functions that can run, and none runs here.
    const applied = (overlay: string) =>
      `kubectl kustomize knative/overlays/${overlay} > holdfast-new.yaml\n${apply?.replace(/^npm .*$/m, "")}`;
    expect(namesOf("service.serving")).not.toEqual([]);
    expect(await walk.run(toNone ?? "")).toContain("No resources found");
    expect(installed()).toEqual([]);
    await walk.run(applied("no-knative"));
    expect(namesOf("deployment")).toContain("deployment.apps/platform-source");
    expect(namesOf("service/").length).toBe(namesOf("deployment").length);

    await walk.run(toKnative ?? "");
    expect(installed()).toEqual([]);
    await walk.run(applied("default"));
    expect(namesOf("service.serving")).toContain("service.serving.knative.dev/undelete-retain");
    expect(namesOf("trigger")).not.toEqual([]);
    expect([...namesOf("deployment"), ...namesOf("service/")]).toEqual([]);
  });
});
