import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";
import { temporaryFolder } from "../command/temporary-folder.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";

/** Sets `KUBECONFIG` to files of clusters by name; each has a context and a user of the cluster's name. */
function listed(
  ...files: readonly { readonly cluster: string; readonly server?: string; readonly current?: boolean }[]
) {
  const folder = temporaryFolder("kubeconfigs");
  onTestFinished(() => folder[Symbol.dispose]());
  const paths = files.map(({ cluster, server, current }, index) => {
    const path = join(folder.path, `${index}.yaml`);
    const config = {
      clusters: [{ name: cluster, cluster: { server: server ?? `https://${cluster}` } }],
      users: [{ name: cluster, user: {} }],
      contexts: [{ name: cluster, context: { cluster, user: cluster } }],
      ...(current ? { "current-context": cluster } : {}),
    };
    writeFileSync(path, stringify(config));
    return path;
  });
  vi.stubEnv("KUBECONFIG", [join(folder.path, "missing.yaml"), ...paths].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
}

test("of several kubeconfigs the first current context holds, as for kubectl", () => {
  listed({ cluster: "spare" }, { cluster: "prod", current: true }, { cluster: "staging", current: true });
  const config = loadKubeconfig();
  expect(config.getCurrentCluster()?.server).toBe("https://prod");
  expect(config.getContexts().map(({ name }) => name)).toEqual(["spare", "prod", "staging"]);
});

test("of several kubeconfigs with the same names the first one holds, as for kubectl", () => {
  listed({ cluster: "prod", current: true }, { cluster: "prod", server: "https://other", current: true });
  expect(loadKubeconfig().getCurrentCluster()?.server).toBe("https://prod");
});
