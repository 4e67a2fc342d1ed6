import { claim } from "../../../harness/manifest.ts";
import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../user.ts";
import { inDocumentMode } from "../settings.ts";

export const finishedJobs: Scenario = {
  name: "finished-jobs",
  doc:
    "In document mode claims go as soon as the pods that use them have ended: one by itself, one by deletion, " +
    "one has an ephemeral volume.",
  setting: inDocumentMode,
  controllers: ["ephemeral-volume-controller"],
  async act(user) {
    for (const name of ["done", "failed", "kept"]) await user.createClaim(name);
    const ends = (runFor: string, code = "0") => ({
      metadata: { annotations: { "laptop.holdfast.dev/run-for": runFor, "laptop.holdfast.dev/exit-code": code } },
      spec: { restartPolicy: "Never" },
    });
    await user.createPod("job-done", ["done"], ends("4s"));
    await user.createPod("job-failed", ["failed"], ends("6s", "1"));
    await user.createPod("server", ["kept"], {
      metadata: { annotations: { "laptop.holdfast.dev/stop-after": "5s" } },
      spec: { terminationGracePeriodSeconds: 10 },
    });
    const { spec } = claim({}, { storageClassName: "standard" });
    const container = {
      name: "main",
      image: "registry.example/main:1",
      volumeMounts: [{ name: "scratch", mountPath: "/s" }],
    };
    await user.createPod("scratchy", [], {
      spec: { containers: [container], volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }] },
    });
    await user.until(podIs("server", "Running"));
    await user.until(podIs("scratchy", "Running"));
    for (const name of ["done", "failed", "kept", "scratchy-scratch"]) await user.deleteClaim(name);
    await user.pause(10_000);
    await user.deletePod("scratchy");
    await user.pause(2_000);
    await user.deletePod("server");
    await user.pause(3_000);
    await user.patchClaim("kept", { metadata: { labels: { touched: "while its pod stops" } } });
    await user.pause(5_000);
  },
};
