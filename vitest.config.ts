import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { share } from "./test/cluster/share.ts";

// Some hundred processes begin and end in each of them: far the longest of what is in these folders.
const tours = ["tours", "on-cluster"].map((name) => `local/start/${name}.test.ts`);
const measured = ["test/budget/**/*.test.ts"];
const differential = ["test/differential/**/*.test.ts"];
const browsed = ["test/docs/pages.test.ts"];
const simulated = ["runs", "points", "mutants"].map((name) => `test/simulation/*/${name}.test.ts`);
// Hours of virtual time, in which eighteen functions look at each change; crowds of objects; all states of a chain; and
// what a cluster at rest and an eviction cost.
const long = [
  "bench/eviction/measure.test.ts",
  "bench/rest/rest.test.ts",
  "test/bad-input/amplification.test.ts",
  "test/hostile/neighbour.test.ts",
  "functions/eviction/lib/converged.test.ts",
  "test/scenarios/volume-outages.test.ts",
  ...[
    "away",
    "bad-input",
    "copies",
    "document",
    "evacuate-in-turn",
    "evacuation",
    "external-controller",
    "hooks-too-late",
    "late-calls",
    "limits",
    "machine-without-node",
    "outages",
    "replicas",
    "upstream",
  ].map((name) => `test/satellite/${name}.test.ts`),
  ...["evacuation", "eviction", "installed-evacuation"].map((name) => `test/upgrade/${name}.test.ts`),
];
// Ends only what hangs: half an hour of virtual time takes six seconds, and on a busy machine a minute. What is about
// speed measures ratios itself, and what waits for something on real time names it in its error.
const hangLimits = { testTimeout: 180_000, hookTimeout: 180_000 };
// Node is compressed for several platforms, and CI does it with what other suites leave of the cores.
const compressing = { testTimeout: 1_200_000, hookTimeout: 1_200_000 };
// Modules are loaded once for each worker: none of them may remember anything. Node loads them itself, as it does in
// production: vitest's own loader makes each use of an import slower.
const loadedByNode = { isolate: false, experimental: { viteModuleRunner: false } };
// Some tests wait for processes, and for real time: others use the cores meanwhile.
const unitWorkers = Math.ceil(1.5 * availableParallelism());
const suites = ["functions", "shared", "eventing", "cli", "local", "knative", "sources", "build", "test", "bench"];

// Where there is a cluster, the scenarios of what the laptop edition has of Kubernetes' controllers are held against
// them, too.
const controllers = ["garbage-collector", "claim-protection", "namespace", "statefulset", "volume-binder"];
const hasCluster = Boolean(process.env.KUBEBUILDER_ASSETS || process.env.KUBECONFIG);
// Cluster API's webhooks lie on loopback, which only a control plane of the suite's own reaches.
const { KUBEBUILDER_ASSETS, CAPI_MANAGER, HOLDFAST_CLUSTER_API_CRDS } = process.env;
const hasMachines = Boolean(KUBEBUILDER_ASSETS && CAPI_MANAGER && HOLDFAST_CLUSTER_API_CRDS);
// A cluster that is there already is one.
const planes = KUBEBUILDER_ASSETS ? 2 : 1;
const beside = ["kustomize/*", "oidc", "pod-security"].map((name) => `test/cluster/${name}.test.ts`);
// Where a control plane can be started: the console, beside one of its own. The pages hardly depend on the server.
const consoleFiles = [...share(["accessible", "pages"]), "connection", "dialogs", "with-server"].map(
  (name) => `test/console/${name}.test.ts`,
);
const onCluster = {
  globalSetup: ["test/cluster/global-setup.ts"],
  setupFiles: ["test/cluster/name-own-cluster.ts"],
  // What waits for something fails by itself before, and says for what.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Most of a scenario is waiting for others.
  maxConcurrency: 10,
};

/**
 * What takes long begins first, what mostly waits beside what mostly computes: vitest knows of neither on a new clone.
 */
const first = [
  "test/processes/guides.test.ts",
  "local/start/tours.test.ts",
  "test/processes/cluster.test.ts",
  "test/cluster/uninstall.test.ts",
  "test/cluster/volume.test.ts",
  "test/cluster/eviction.test.ts",
  "test/cluster/satellite.test.ts",
  "test/cluster/contract.test.ts",
  "test/cluster/manifests.test.ts",
  "test/cluster/walk/volumes.test.ts",
  "test/cluster/undelete.test.ts",
  "test/cluster/walk/change-knative.test.ts",
  "test/console/pages.test.ts",
  "test/console/npm-start.test.ts",
  "test/console/accessible.test.ts",
  "test/scenarios/pvc-retention.test.ts",
  "test/scenarios/pvc-protection.test.ts",
  "test/scenarios/rollout/rollout.test.ts",
  "test/scenarios/undelete.test.ts",
  "test/scenarios/eviction.test.ts",
  "test/cli/status.test.ts",
  "test/cli/explain.test.ts",
  "test/scenarios/edited-filters.test.ts",
  "local/serving/activator.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) =>
      first.findIndex((file) => moduleId.endsWith(`/${file}`)) + 1 || first.length + 1;
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // On virtual time wherever time matters.
        test: {
          name: "unit",
          ...loadedByNode,
          include: suites.map((folder) => `${folder}/**/*.test.ts`),
          exclude: [
            "test/cluster/**",
            "test/console/*.test.ts",
            ...browsed,
            "test/images/**",
            "test/processes/**",
            "test/release/**",
            ...tours,
            ...measured,
            ...simulated,
            ...long,
            ...differential,
          ],
          maxWorkers: unitWorkers,
          // Whole clusters come and go in it: with a large young generation, the garbage collector never looks at
          // what is gone.
          execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=128"],
          setupFiles: ["test/same-seed.ts"],
          ...hangLimits,
        },
      },
      {
        // Node loads no .tsx, which vitest does.
        test: {
          name: "unit-console",
          include: ["console/**/*.test.ts"],
          isolate: false,
          maxWorkers: unitWorkers,
          ...hangLimits,
        },
      },
      {
        // Other runs each time, besides those that are always the same; on virtual time, so that what fails once has
        // failed.
        test: {
          name: "simulation",
          include: simulated,
          ...loadedByNode,
          maxWorkers: "100%",
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "long",
          include: long,
          ...loadedByNode,
          maxWorkers: "100%",
          sequence: { groupOrder: 1 },
          ...hangLimits,
          testTimeout: 1_800_000,
        },
      },
      {
        // What compares speeds: nothing else of the suite runs meanwhile.
        test: { name: "budget", include: measured, fileParallelism: false, ...hangLimits },
      },
      {
        // On a real control plane, what leaves the rest of it alone: several files at a time, because most of it is
        // waiting.
        test: {
          name: "cluster-beside",
          include: [
            ...beside,
            ...(KUBEBUILDER_ASSETS ? consoleFiles : []),
            ...(hasCluster ? controllers.map((name) => `local/controllers/${name}/**/*.test.ts`) : []),
          ],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          ...onCluster,
          globalSetup: [...onCluster.globalSetup, "test/console/build-client.ts"],
        },
      },
      {
        // What installs Holdfast, or takes the whole of a control plane: one file at a time on each. Most of the time
        // they wait.
        test: {
          name: "cluster-whole",
          include: ["test/cluster/**/*.test.ts", ...(hasMachines ? ["test/contract/cluster-api/**/*.test.ts"] : [])],
          exclude: beside,
          maxWorkers: planes,
          provide: { planes },
          ...onCluster,
        },
      },
      {
        // Beside plain Kubernetes: on virtual time, and on a real control plane where there is one.
        test: { name: "differential", include: differential, ...onCluster, isolate: false, maxWorkers: 2 },
      },
      {
        // The whole of `npm start`, on a cluster of its own and on a real control plane.
        test: {
          name: "processes",
          include: ["test/processes/**/*.test.ts", ...tours],
          // One waits for a real control plane; the others together take as long.
          maxWorkers: 2,
          ...onCluster,
          maxConcurrency: 16,
        },
      },
      {
        // The console in a real browser, beside the laptop edition's cluster, and the documentation site.
        test: {
          name: "console",
          include: ["test/console/*.test.ts", ...browsed],
          globalSetup: ["test/console/build-client.ts"],
          maxWorkers: 2,
          ...hangLimits,
        },
      },
      {
        // Images held against registries and tools of others.
        test: {
          name: "images",
          include: ["test/images/**/*.test.ts"],
          globalSetup: ["test/images/global-setup.ts"],
          maxWorkers: 2,
          ...compressing,
        },
      },
      {
        // A release is made twice, and its chart rendered by Helm.
        test: {
          name: "release",
          include: ["test/release/**/*.test.ts"],
          globalSetup: ["test/images/global-setup.ts"],
          maxWorkers: 2,
          ...compressing,
        },
      },
    ],
  },
});
