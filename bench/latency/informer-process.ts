/**
 * A process of the latency benchmark: a plain informer of client-node that puts the finalizer on claims that were
 * woken. Arguments: a kubeconfig and a namespace. Writes a line once it watches.
 */
import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1PersistentVolumeClaim,
} from "@kubernetes/client-node";
import { finalizer, wake } from "./claims.ts";

const [, , file = "", namespace = ""] = process.argv;
const config = new KubeConfig();
config.loadFromFile(file);
const api = config.makeApiClient(CoreV1Api);
const options = setHeaderOptions("content-type", PatchStrategy.JsonPatch);
const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
const informer = makeInformer(config, path, () => api.listNamespacedPersistentVolumeClaim({ namespace }));

async function protect({ metadata = {} }: V1PersistentVolumeClaim): Promise<void> {
  const { name = "", annotations = {}, finalizers = [], uid, resourceVersion } = metadata;
  if (!annotations[wake] || finalizers.includes(finalizer)) return;
  const body = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    { op: "add", path: "/metadata/finalizers/-", value: finalizer },
  ];
  await api.patchNamespacedPersistentVolumeClaim({ name, namespace, body }, options);
}

informer.on("add", protect);
informer.on("update", protect);
informer.on("connect", () => setTimeout(() => process.stdout.write("It watches.\n"), 500));
informer.on("error", (error) => console.error(error));
await informer.start();
