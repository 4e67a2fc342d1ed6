import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../stage.ts";
import { besideInTree } from "../settings.ts";

export const namespaceDeleted: Scenario = {
  name: "namespace-deleted",
  doc: "A namespace is deleted with pods that run and claims that they use.",
  setting: besideInTree,
  controllers: ["namespace-controller"],
  async act(stage) {
    await stage.createClaim("free");
    await stage.createClaim("used");
    // The kubelet lets it stop in peace, so that the namespace has to wait for it.
    const metadata = { annotations: { "laptop.holdfast.dev/stop-after": "8s" } };
    await stage.createPod("web", ["used"], { metadata, spec: { terminationGracePeriodSeconds: 10 } });
    await stage.until(podIs("web", "Running"));
    await stage.pause(2_000);
    await stage.deleteNamespace();
    await stage.pause(15_000);
  },
};
