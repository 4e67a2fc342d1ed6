/** What a function's container may use and do, on Knative and without. */
export const confined = {
  // Without a CPU limit: throttling would fall on exactly the moments of a cold start.
  resources: { requests: { cpu: "25m", memory: "96Mi" }, limits: { memory: "384Mi" } },
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 65532,
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
};
