import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../user.ts";
import { besideInTree } from "../settings.ts";

export const namespaceDeleted: Scenario = {
  name: "namespace-deleted",
  doc: "A namespace is deleted with pods that run and claims that they use.",
  setting: besideInTree,
  controllers: ["namespace-controller"],
  async act(user) {
    await user.createClaim("free");
    await user.createClaim("used");
    // The kubelet lets it stop in peace, so that the namespace has to wait for it.
    const metadata = { annotations: { "laptop.holdfast.dev/stop-after": "8s" } };
    await user.createPod("web", ["used"], { metadata, spec: { terminationGracePeriodSeconds: 10 } });
    await user.until(podIs("web", "Running"));
    await user.pause(2_000);
    await user.deleteNamespace();
    await user.pause(15_000);
  },
};
