import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { readEnvironment } from "../../../local/start/environment.ts";
import { Namespace } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Setting } from "../../harness/cluster.ts";
import { readInstallation } from "../../harness/installation.ts";
import type { Server } from "../../harness/server.ts";
import { root } from "../../manifests/kustomization.ts";
import { run } from "../kubectl.ts";
import { leftOf } from "../left-of-install.ts";
import type { Block } from "./page.ts";

/** The two ways in which a page installs a system, as it calls them in the line before their files. */
export const ways = ["With Knative", "Without Knative"] as const;
export type Way = (typeof ways)[number];

/** The blocks of a page without those of the other way. */
export const inWay = (way: Way, blocks: readonly Block[]): readonly Block[] =>
  blocks.filter(({ intro }) => !ways.some((other) => other !== way && intro === `${other}:`));

/** Installs that a page makes on a control plane of the suite's own. */
export interface Installs {
  /** Makes the cluster ready for a way: with Knative's kinds or without, and without the namespace. */
  begin(way: Way): Promise<void>;
  /**
   * The setting of what the page has installed, for functions that run here under their accounts on the cluster, and
   * the environment that the settings and the Secret on the cluster give to a Service of the system.
   *
   * @throws Error where an object of the install is not on the cluster.
   */
  read(way: Way, system: string, service: string, folder: string): Promise<[Setting, Readonly<Record<string, string>>]>;
  /** Takes Holdfast off the cluster as its README says, sees that nothing of it is left, and Knative's kinds. */
  end(): Promise<void>;
}

/** `definitions` is a folder of Knative's. */
export function createInstalls({ admin, eventually }: Server, kubeconfig: string, definitions: string): Installs {
  const knative = (verb: string, ...more: string[]) =>
    run([verb, "--recursive", "-f", definitions, ...more], kubeconfig);
  return {
    async begin(way) {
      if (way === "With Knative") {
        knative("apply", "--server-side");
        run(["wait", "--for=condition=established", "--all", "crd", "--timeout=180s"], kubeconfig);
        const kinds = run(["get", "crd", "-o", "jsonpath={.items[*].metadata.name}"], kubeconfig).split(" ");
        // For a moment the API server answers 429 to lists of kinds that were just defined.
        await eventually("every kind is listed", async () => {
          try {
            return run(["get", kinds.join(","), "--all-namespaces", "-o", "name"], kubeconfig) !== undefined;
          } catch {
            return false;
          }
        });
      }
      // What an earlier suite has left: the page makes the namespace.
      await admin.delete(Namespace, undefined, "holdfast");
      await eventually("there is no namespace", async () => !(await admin.get(Namespace, undefined, "holdfast")));
    },
    async read(way, system, service, folder) {
      const bare = `overlays/no-knative/${system}/${system}.yaml`;
      const setting: Setting = {
        name: `${way}: ${system}`,
        inTree: true,
        environment: {},
        components: [`access/${system}`, system, ...(way === "Without Knative" ? [bare] : [])],
        ...(way === "Without Knative" ? { withoutKnative: true } : {}),
      };
      const { objects, services } = readInstallation(setting);
      const items = objects.filter((object) => way === "With Knative" || !isKnativeSource(object));
      run(["get", "-f", "-"], kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
      const plan = services.find((each) => each.service === service);
      if (!plan) throw new Error(`${service} is not installed.`);
      mkdirSync(folder);
      return [setting, await readEnvironment(admin, plan, folder)];
    },
    async end() {
      const command = [join(root, "cli/main.ts"), "uninstall", "--yes", "--kubeconfig", kubeconfig];
      await promisify(execFile)(process.execPath, command);
      // The namespace stays for the Secret that the page has the administrator put there.
      expect(leftOf(kubeconfig).filter((left) => !/Namespace\b.*\bholdfast$/.test(left))).toEqual([]);
      // The next suite needs a cluster without.
      await admin.delete(Namespace, undefined, "holdfast");
      await eventually("the namespace is gone", async () => !(await admin.get(Namespace, undefined, "holdfast")));
      knative("delete", "--ignore-not-found");
    },
  };
}

/** An account of a source of Knative's, or its roles. */
function isKnativeSource({ metadata: { labels = {} } }: KubernetesObject): boolean {
  return labels["app.kubernetes.io/component"] === "source" && labels["app.kubernetes.io/name"] === undefined;
}
