import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";

/**
 * The kubeconfig of a file; else, as kubectl has it, of the files that `KUBECONFIG` lists, of `~/.kube/config`, or of
 * the pod's service account. Of the files in a list, those that do not exist are passed over, the first current context
 * holds, and so does the first definition of a name. client-node would take the last context, and so another cluster.
 *
 * @throws Error when a file cannot be read.
 */
export function loadKubeconfig(file?: string): KubeConfig {
  const config = new KubeConfig();
  const listed = process.env.KUBECONFIG?.split(delimiter).filter(Boolean) ?? [];
  const files = listed.length > 1 ? listed.filter((path) => existsSync(path)) : listed;
  if (file) config.loadFromFile(file);
  else if (files.length === 0) config.loadFromDefault();
  else {
    const all = files.map((path) => {
      const one = new KubeConfig();
      one.loadFromFile(path);
      return one;
    });
    config.loadFromOptions({
      clusters: firstOfName(all.flatMap(({ clusters }) => clusters)),
      users: firstOfName(all.flatMap(({ users }) => users)),
      contexts: firstOfName(all.flatMap(({ contexts }) => contexts)),
      currentContext: all.map(({ currentContext }) => currentContext).find(Boolean),
    });
  }
  return config;
}

const firstOfName = <T extends { readonly name: string }>(all: readonly T[]): T[] =>
  all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index);
