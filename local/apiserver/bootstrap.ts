import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { administrator } from "./auth/identity.ts";
import { type Call, callOf } from "./request/call.ts";
import type { State } from "./state.ts";
import { createObject } from "./write/create.ts";

/** Creates what a new cluster has before anybody comes. */
export function bootstrap(state: State): void {
  for (const name of ["default", "kube-system", "kube-public"]) {
    createAs(state, { group: "", version: "v1", plural: "namespaces" }, { apiVersion: "v1", kind: "Namespace" }, name);
  }
}

function createAs(
  state: State,
  path: { group: string; version: string; plural: string },
  object: Pick<KubernetesObject, "apiVersion" | "kind"> & Record<string, unknown>,
  name: string,
): void {
  const request = { method: "POST", path: "", headers: { "user-agent": "kube-apiserver" }, body: "" } as const;
  const call: Call = callOf(state, path, new URLSearchParams(), request, administrator);
  createObject(state, call, { ...object, metadata: { name } as KubernetesObject["metadata"] });
}
