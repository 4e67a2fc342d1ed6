import { run } from "./kubectl.ts";

/** Makes a namespace that an earlier suite may have left, or may have deleted a moment ago. */
export function makeNamespace(name: string, kubeconfig: string | undefined): void {
  const call = (...options: string[]) => run(options, kubeconfig);
  const phase = call("get", "namespace", name, "--ignore-not-found", "-o", "jsonpath={.status.phase}");
  if (phase === "Active") return;
  if (phase) call("wait", "--for=delete", `namespace/${name}`, "--timeout=100s");
  call("create", "namespace", name);
}
