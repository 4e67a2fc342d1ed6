import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Run, runStart } from "../../local/start/testing/run-start.ts";
import { blocksBelow, scriptOf } from "../cluster/walk/page.ts";
import { openWalk, type Walk } from "../cluster/walk/walk.ts";

// The sweep of the laptop edition looks at what its functions have missed after some minutes.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

/** What readers have before: the claim of the examples. */
const claim = `kubectl create namespace shop
kubectl apply -n shop -f - <<'YAML'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
YAML
kubectl wait pvc data -n shop --for=jsonpath='{.status.phase}'=Bound --timeout=2m`;

/** Sections whose commands run on the laptop edition as they are, in this order, and what happens before each. */
const sections = [
  ["docs/get-a-claim-back.md", "Before anything happens", claim],
  ["docs/get-a-claim-back.md", "After the deletion", "kubectl delete pvc data -n shop"],
  ["docs/what-is-held.md", "What is held now, and why", ""],
  ["docs/restore-a-snapshot.md", "Restore a snapshot under a claim's name", ""],
  ["docs/canary.md", "Try a new version on some claims first", ""],
] as const;

/** A claim comes and goes, and the pods that the canary has by then. */
const goneIn = (namespace: string) => `${claim.replaceAll(/\bshop\b/g, namespace)}
kubectl delete pvc data -n ${namespace} --timeout=2m
kubectl -n holdfast get pods -o name`;
const canary = "pod/pvc-protection-release-b";
/** A revision has a pod from its beginning; from then on only events bring it. */
const atZero = `kubectl -n holdfast wait pod -l serving.knative.dev/revision=pvc-protection-release-b --for=delete \\
  --timeout=2m`;

const hasKubectl = Boolean(process.env.KUBEBUILDER_ASSETS) || isInstalled("kubectl");
if (!hasKubectl) console.log("The guides' commands are not run: they take kubectl.");

describe.skipIf(!hasKubectl)("the guides' commands, on the laptop edition", () => {
  const folder = mkdtempSync(join(tmpdir(), "guides-"));
  let walk: Walk;
  let over: Promise<Run>;
  let end = () => {};
  beforeAll(async () => {
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    const kubeconfig = await new Promise<string>((found) => {
      over = runStart(["--no-tour", "--idle", "10"], temporary, (out, kill) => {
        end = () => kill("SIGINT");
        const [, file] = /export KUBECONFIG=(\S+)/.exec(out) ?? [];
        if (file) found(file);
      });
    });
    walk = openWalk(folder, kubeconfig, { texts: [["\u0000", ""]], commands: {} });
  });
  afterAll(async () => {
    end();
    await over;
    rmSync(folder, { recursive: true });
  });

  test.each(sections)("%s: %s", async (page, title, before) => {
    const blocks = blocksBelow(page, title).filter(({ language }) => language !== "text");
    await walk.run(`${before}\n${scriptOf(blocks)}`);
  });

  test("the canary gets the events of its namespace, and no others", async () => {
    await walk.run(atZero);
    expect(await walk.run(goneIn("production"))).not.toContain(canary);
    expect(await walk.run(goneIn("staging"))).toContain(canary);
  });

  test("npm start ends without a complaint", async () => {
    end();
    const { code, err } = await over;
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });
});

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["version", "--client"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
