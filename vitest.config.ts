import { defineConfig } from "vitest/config";

const suites = ["functions", "shared", "local", "knative", "sources", "build", "test"];

// Where there is a cluster, the scenarios of what the laptop edition has of Kubernetes' controllers are held against them, too.
const controllers = ["garbage-collector", "claim-protection", "namespace", "statefulset"];
const hasCluster = Boolean(process.env.KUBEBUILDER_ASSETS || process.env.KUBECONFIG);

export default defineConfig({
  test: {
    projects: [
      {
        // Everything in one process, on virtual time wherever time matters.
        test: {
          name: "unit",
          include: suites.map((folder) => `${folder}/**/*.test.ts`),
          exclude: ["test/cluster/**"],
          // Processes start slowly on a busy machine; what is about speed measures ratios itself.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        // Against a real control plane: one at a time, because they share it and two cores.
        test: {
          name: "cluster",
          include: [
            "test/cluster/**/*.test.ts",
            ...(hasCluster ? controllers.map((name) => `local/controllers/${name}/**/*.test.ts`) : []),
          ],
          globalSetup: ["test/cluster/global-setup.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
