import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { systemClock } from "../../shared/clock.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { serveHttp } from "../apiserver/http.ts";
import { createApiServer } from "../apiserver/server.ts";
import { startKubelet, usualHeartbeat } from "../controllers/kubelet/start-kubelet.ts";
import { startControllers } from "../controllers/start-controllers.ts";
import { eventingDefinitions } from "../knative/definitions.ts";
import { readManifests } from "../knative/read-manifests.ts";
import type { Terminal } from "../log/terminal.ts";
import { serviceDefinition } from "../serving/definition.ts";
import { seededRandom } from "../time/random.ts";
import type { Activity } from "./activity.ts";
import { Complaint } from "./complaint.ts";
import { issueCredentials, writeKubeconfig } from "./credentials.ts";
import { create } from "./install.ts";
import { startKnative } from "./knative.ts";
import type { Bundles } from "./launch.ts";
import type { StartOptions } from "./options.ts";
import { becomeReady } from "./ready.ts";
import type { Session } from "./session.ts";
import type { Stage } from "./stage.ts";
import { controllerTools } from "./tools.ts";

const node = "laptop";
const manifests = join(import.meta.dirname, "../../knative");

/** Starts a cluster of our own on loopback, with Knative and everything that the repository's YAML installs. */
export async function startLaptop(
  options: StartOptions,
  session: Session,
  terminal: Terminal,
  activity: Activity,
  bundles: Bundles,
): Promise<Stage> {
  const { signal, folder } = session;
  const clock = systemClock;
  const random = seededRandom(clock.now());
  const token = randomBytes(16).toString("hex");
  const administrator = { user: "admin", groups: ["system:masters"] };
  const server = createApiServer({ clock, random, rbac: true, tokens: { [token]: administrator } });
  const http = await serveHttp(server, { host: "127.0.0.1", port: options.port }).catch((error) => {
    throw portComplaint(error, options.port);
  });
  session.onEnd(http.close);
  await bundles.build();
  signal.throwIfAborted();

  const transport: Transport = (request) =>
    server.handle({ ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } });
  const tools = controllerTools(transport, random, signal, activity.onTrouble);
  const { client } = tools;
  await create(client, [...definitions, storageClass]);
  startControllers({ transport, clock, random, signal, trouble: activity.onTrouble });
  startKubelet(tools, { nodes: [node], heartbeat: usualHeartbeat });

  // client-node takes plain HTTP only where it is told not to look at certificates.
  const cluster = { server: http.url, "insecure-skip-tls-verify": true };
  const kubeconfig = await writeKubeconfig(join(folder, "kubeconfig"), cluster, "admin", { token });
  const credentials = issueCredentials({ client, clock, signal }, cluster, folder);
  await create(client, objectsOf(manifests));
  const knative = await startKnative({
    tools,
    server: http.url,
    credentials,
    bundles,
    activity,
    window: options.window,
  });
  session.onEnd(knative.close);
  await becomeReady(client, clock, signal);

  terminal.print(`API server ${http.url}, kubeconfig ${kubeconfig}`);
  return {
    client,
    knative: client,
    clock,
    processes: knative.processes,
    installPolicy: () => create(client, objectsOf(join(manifests, "pvc-protection/admission-policy"))),
    quiet: true,
    advice: advice(kubeconfig),
  };
}

const definitions = [...eventingDefinitions, serviceDefinition] as unknown as KubernetesObject[];

const objectsOf = (folder: string) => readManifests([folder]).map(({ object }) => object);

const storageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "kubernetes.io/host-path",
} as unknown as KubernetesObject;

function portComplaint(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE")
    return new Complaint(`Port ${port} on 127.0.0.1 is in use; choose another with --port.`);
  if (error.code === "EACCES")
    return new Complaint(`Port ${port} is not yours to use; choose one above 1023 with --port.`);
  return error;
}

const advice = (kubeconfig: string) => `It stays up. In another terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl get ksvc,broker,trigger,apiserversource -A
  kubectl get pvc,pod -A

Ctrl-C ends it and takes everything away.`;
