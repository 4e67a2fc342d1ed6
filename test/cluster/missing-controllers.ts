/**
 * Which controllers of the laptop edition stand in on a control plane, by name: the kubelet always, and what of
 * Kubernetes' own is not there, as where `KUBEBUILDER_ASSETS` holds what envtest ships.
 */
export function missingControllers(plane: { hasControllers: boolean; hasScheduler: boolean }): string[] {
  const { hasControllers, hasScheduler } = plane;
  if (hasControllers) return ["kubelet", ...(hasScheduler ? [] : ["kube-scheduler"])];
  return ["*", ...(hasScheduler ? ["-kube-scheduler"] : [])];
}
