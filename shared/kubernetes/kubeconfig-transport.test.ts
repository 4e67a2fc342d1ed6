import { kubeconfigTransport } from "./kubeconfig-transport.ts";
import { signsIn } from "./testing/signs-in.ts";

signsIn("a transport from a kubeconfig", async () => kubeconfigTransport);
