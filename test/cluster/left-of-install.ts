import { partOf, product } from "../../build/manifests/metadata.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { identityOf } from "../manifests/references.ts";
import { run } from "./kubectl.ts";

/** Everything of an install that is on the cluster, of any kind. */
export function leftOf(kubeconfig: string): readonly string[] {
  const call = (...options: string[]) => run(options, kubeconfig);
  const kinds = call("api-resources", "--verbs=list,delete", "-o", "name").trim().split("\n");
  const read = kinds.filter((kind) => !/^(events|podmetrics|nodemetrics)/.test(kind)).join(",");
  const list = call("get", read, "--all-namespaces", "-l", `${partOf}=${product}`, "-o", "json");
  return (JSON.parse(list) as { items: KubernetesObject[] }).items.map(identityOf);
}
