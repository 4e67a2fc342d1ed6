import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../stage.ts";
import { inDocumentMode } from "../settings.ts";

export const finishedJobs: Scenario = {
  name: "finished-jobs",
  doc: "In document mode claims go as soon as the pods that use them have ended: one by itself, one by deletion, one has an ephemeral volume.",
  setting: inDocumentMode,
  controllers: ["ephemeral-volume-controller"],
  async act(stage) {
    for (const name of ["done", "failed", "kept"]) await stage.createClaim(name);
    const ends = (runFor: string, code = "0") => ({
      metadata: { annotations: { "laptop.holdfast.dev/run-for": runFor, "laptop.holdfast.dev/exit-code": code } },
      spec: { restartPolicy: "Never" },
    });
    await stage.createPod("job-done", ["done"], ends("4s"));
    await stage.createPod("job-failed", ["failed"], ends("6s", "1"));
    await stage.createPod("server", ["kept"], {
      metadata: { annotations: { "laptop.holdfast.dev/stop-after": "5s" } },
      spec: { terminationGracePeriodSeconds: 10 },
    });
    const volumeClaimTemplate = {
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "standard",
        resources: { requests: { storage: "1Gi" } },
      },
    };
    const container = {
      name: "main",
      image: "registry.example/main:1",
      volumeMounts: [{ name: "scratch", mountPath: "/s" }],
    };
    await stage.createPod("scratchy", [], {
      spec: { containers: [container], volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate } }] },
    });
    await stage.until(podIs("server", "Running"));
    await stage.until(podIs("scratchy", "Running"));
    for (const name of ["done", "failed", "kept", "scratchy-scratch"]) await stage.deleteClaim(name);
    await stage.pause(10_000);
    await stage.deletePod("scratchy");
    await stage.pause(2_000);
    await stage.deletePod("server");
    await stage.pause(3_000);
    await stage.patchClaim("kept", { metadata: { labels: { touched: "while its pod stops" } } });
    await stage.pause(5_000);
  },
};
