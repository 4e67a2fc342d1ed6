import { expect, test } from "vitest";
import { createProgram } from "../../cli/program.ts";
import { Namespace, PersistentVolumeClaim, Pod, StatefulSet } from "../../shared/kubernetes/kind.ts";
import { ClusterRole } from "../harness/kinds.ts";
import { claim, manifest, pod, statefulSet } from "../harness/manifest.ts";
import { installOverlay } from "./install.ts";
import { type CliCluster, openCliCluster } from "./open-cluster.ts";

interface Called {
  readonly command: string;
  /** A call that a user who may only read can make. */
  readonly args: readonly string[];
  /** How it ends for that user. */
  readonly code: 0 | 1 | 2;
  /** The same with a name that there is not, and what is said of that. */
  readonly wrong?: readonly [args: readonly string[], message: string];
}

const rule = "pvc-protection/release";
const shop = ["-n", "shop"];
const noClaim = "There is no PersistentVolumeClaim shop/nope. Is it in another namespace?";

/** Every command that speaks to a cluster and comes to an end. */
const calls: readonly Called[] = [
  // Who may only read may not install.
  { command: "preflight", args: ["pvc-protection"], code: 1, wrong: [["nope"], "There is no system nope"] },
  { command: "status", args: [], code: 0 },
  { command: "explain", args: ["pvc/data", ...shop], code: 0, wrong: [["pvc/nope", ...shop], noClaim] },
  { command: "try", args: [rule, "pvc/data", ...shop], code: 0, wrong: [[rule, "pvc/nope", ...shop], noClaim] },
  {
    command: "what-if",
    args: ["delete", "sts/web", ...shop],
    code: 0,
    wrong: [["delete", "pvc/nope", ...shop], noClaim],
  },
  { command: "restore", args: ["list"], code: 0, wrong: [["keep", "nope", "--for", "7d"], "There is no volume nope."] },
  {
    command: "replay",
    args: ["nope.json"],
    code: 2,
    wrong: [["nope.json", "--rule", "nope"], "nope.json"],
  },
  { command: "doctor", args: [], code: 0 },
  { command: "uninstall", args: ["--check"], code: 1, wrong: [["nope"], "There is no system nope"] },
];

/** They need no cluster, or stay until they are ended. */
const others = ["pretty", "check-images", "completion", "console"];

/** Holdfast without Knative, and a claim that is being deleted under its pod. */
async function installed(): Promise<CliCluster> {
  const cluster = await openCliCluster([]);
  const { admin } = cluster;
  await installOverlay(admin, "no-knative");
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  await admin.create(StatefulSet, statefulSet({ namespace: "shop", name: "web" }));
  const finalizers = ["holdfast.dev/pvc-protection"];
  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data", finalizers }));
  await admin.create(Pod, pod({ namespace: "shop", name: "web" }, ["data"], { nodeName: "worker-1" }));
  await admin.delete(PersistentVolumeClaim, "shop", "data");
  return cluster;
}

const reader = manifest(
  ClusterRole,
  { name: "only-reads" },
  {
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] },
      { nonResourceURLs: ["*"], verbs: ["get"] },
    ],
  },
);

/** One sentence for people, and no stack of the program's. */
const complaint = /^holdfast: [^\n]+\n$/;

test("every command is in the table of those that are called here, or needs no cluster", () => {
  const names = [...calls.map(({ command }) => command), ...others];
  expect(names.toSorted()).toEqual(
    createProgram()
      .commands.map((one) => one.name())
      .toSorted(),
  );
});

test("to a user who may only read, every command answers in 80 columns, and one line says what is wrong", async () => {
  const cluster = await installed();
  for (const { command, args, code, wrong } of calls) {
    const ran = await cluster.asUserOf([reader], [command, ...args]);
    expect([command, ran.code, ran.err]).toEqual([command, code, code === 2 ? expect.stringMatching(complaint) : ""]);
    if (code !== 2) expect(ran.out, command).not.toBe("");
    // A bundle and a patch are YAML, which YAML's own rules fold; a long word is not broken.
    const isYaml = (line: string) => command === "doctor" || (command === "try" && line.startsWith(" ".repeat(10)));
    const isTooLong = (line: string) => line.length > 80 && !isYaml(line) && line.trim().includes(" ");
    expect(ran.out.split("\n").filter(isTooLong), command).toEqual([]);
    if (!wrong) continue;
    const [wrongly, message] = wrong;
    const { code: ended, out, err } = await cluster.asUserOf([reader], [command, ...wrongly]);
    expect([command, ended, out, err]).toEqual([command, 2, "", expect.stringContaining(message)]);
    expect(err, command).toMatch(complaint);
  }
});

test("without a cluster that answers, every command ends with 2, and one line says what to do", async () => {
  const cluster = await openCliCluster([]);
  await cluster.stop();
  for (const { command, args } of calls) {
    const { code, out, err } = await cluster.holdfast([command, ...args]);
    expect([command, code, out]).toEqual([command, 2, ""]);
    expect(err, command).toMatch(complaint);
    expect(err, command).toContain("Try: kubectl cluster-info");
  }
});
