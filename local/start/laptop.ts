import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ApiServerSource } from "../../eventing/kinds.ts";
import { seededRandom } from "../../eventing/random.ts";
import type { Send } from "../../eventing/send.ts";
import { systemClock } from "../../shared/clock.ts";
import { shellWord } from "../../shared/command/shell-word.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { HttpRequest } from "../../shared/http-message.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { Terminal } from "../../shared/terminal/terminal.ts";
import { holdsOf } from "../../shared/uninstall/held-objects.ts";
import { serveHttp } from "../apiserver/http.ts";
import { createApiServer } from "../apiserver/server.ts";
import { create } from "../cluster/install.ts";
import { installedRules } from "../cluster/installed-rules.ts";
import type { RunningCluster } from "../cluster/running-cluster.ts";
import { createControllerTools } from "../controllers/controller-tools.ts";
import { startKubelet, usualHeartbeat } from "../controllers/kubelet/start-kubelet.ts";
import { startControllers } from "../controllers/start-controllers.ts";
import { eventingDefinitions } from "../knative/definitions.ts";
import { serviceDefinition } from "../serving/definition.ts";
import { exampleFile, setFile } from "../tour/objects.ts";
import type { Activity } from "./activity.ts";
import { asApplied } from "./as-applied.ts";
import { startConsole } from "./console.ts";
import { issueCredentials, writeKubeconfig } from "./credentials.ts";
import { startKnative } from "./knative.ts";
import type { Bundles } from "./launch.ts";
import { defaultInstall, objectsIn } from "./manifests.ts";
import type { StartOptions } from "./options.ts";
import { becomeReady } from "./ready.ts";
import { reachingSalt, secretOf } from "./salt/installed.ts";
import { reachSalt } from "./salt/reach.ts";
import { startStandIn } from "./salt/stand-in.ts";
import type { Session } from "./session.ts";
import { sweptEachMinute } from "./swept-often.ts";

const node = "laptop";
const storageBroker = "http://broker-ingress.knative-eventing.svc.cluster.local/holdfast/storage";

/** Starts a cluster of our own on loopback, with Knative and everything that the repository's YAML installs. */
export async function startLaptop(
  options: StartOptions,
  session: Session,
  terminal: Terminal,
  activity: Activity,
  bundles: Bundles,
): Promise<RunningCluster> {
  const { signal, folder } = session;
  const clock = systemClock;
  const random = seededRandom(clock.now());
  // Before anything is started: a Salt that cannot be used is one sentence.
  const theirs = options.salt && (await reachSalt(options.salt, clock));
  const secret = randomBytes(16).toString("hex");
  const server = createApiServer({ clock, random, rbac: true, tokens: { [secret]: administrator } });
  const transport = asAdministrator(server.handle, secret);
  const doors = { ...server, handle: admitByPath(server.handle, transport, secret) };
  const http = await serveHttp(doors, options.port).catch((error) => {
    throw portComplaint(error, options.port);
  });
  session.onEnd(http.close);
  session.onEnd(server.close);
  await bundles.build(signal);

  let sendIn: Send | undefined;
  // As the reactor posts: once, and whether or not a listener is there.
  const react = (event: HttpRequest) => void sendIn?.(storageBroker, event).catch(() => {});
  const parts = { transport, clock, random, signal, trouble: activity.onTrouble };
  const tools = createControllerTools(parts);
  const { client } = tools;
  await create(client, [...definitions, storageClass]);
  startControllers(parts);
  const salt = theirs ?? (await startStandIn({ clock, random, minion: node, react }, session));
  startKubelet(tools, { nodes: [...new Set([node, salt.minion])], heartbeat: usualHeartbeat });

  // client-node takes plain HTTP only where it does not check certificates.
  const at = (server: string) => ({ server, "insecure-skip-tls-verify": true });
  const cluster = at(http.url);
  const kubeconfig = await writeKubeconfig(join(folder, "kubeconfig"), at(`${http.url}/${secret}`), "admin", {});
  const credentials = issueCredentials({ client, clock, signal }, cluster, folder);
  // Without a tour anything may be tried.
  const components = options.tours.length > 0 && !options.tours.includes("volume") ? [] : ["access/volume", "volume"];
  const present = [".", ...components];
  const objects = defaultInstall(options, components).map((object) => reachingSalt(object, salt));
  const installed = theirs && !options.loseAllEvents ? objects.map(sweptEachMinute) : objects;
  await create(client, [...installed, secretOf(salt)].map(asApplied));
  const knative = await startKnative({
    tools,
    server: http.url,
    credentials,
    bundles,
    activity,
    window: options.window,
  });
  session.onEnd(knative.close);
  sendIn = knative.send;
  await becomeReady(client, clock, signal);

  terminal.print(`API server  ${http.url}`);
  terminal.print(`kubectl     export KUBECONFIG=${shellWord(kubeconfig)}`);
  terminal.print(`Services    curl --proxy ${knative.network} http://SERVICE.NAMESPACE.svc.cluster.local`);
  const site = fileURLToPath(new URL("../../dist/docs/index.html", import.meta.url));
  terminal.print(`documents   ${existsSync(site) ? pathToFileURL(site) : '"npm run docs" makes a site of them'}`);
  await startConsole(transport, bundles, session, terminal);
  return {
    client,
    knative: client,
    clock,
    processes: knative.processes,
    volumes: {
      node: salt.minion,
      ...(salt.storage ? { storage: salt.storage } : {}),
      // A reactor elsewhere cannot reach this machine: there the sweep finds what has ended.
      patience: theirs ? 180_000 : 60_000,
    },
    installPolicy: (system) => create(client, objectsIn(`${system}/admission-policy`).map(asApplied)),
    own: {
      transport,
      trouble: activity.onTrouble,
      async install(more, edit) {
        await create(
          client,
          objectsIn(...more)
            .map(edit)
            .map(asApplied),
        );
        present.push(...more);
        // What is there already watches more kinds than before, for this system and for those before it.
        for (const { kind, metadata, spec } of objectsIn(...present))
          if (kind === ApiServerSource.kind && !options.loseAllEvents)
            await client.patch(ApiServerSource, metadata.namespace, metadata.name, "merge", { spec });
        await becomeReady(client, clock, signal);
      },
    },
    holds: holdsOf(await installedRules(installed)),
    quiet: true,
    advice: advice(kubeconfig),
  };
}

const administrator = { user: "admin", groups: ["system:masters"] };

function asAdministrator(handle: Transport, token: string): Transport {
  return (request) => handle({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
}

/**
 * Who knows the secret path is the administrator: kubectl sends no token over plain HTTP, and without one anybody who
 * can reach the port, a web page among them, would be. Functions come with their tokens and without the path.
 */
function admitByPath(handle: Transport, administrators: Transport, secret: string): Transport {
  const prefix = `/${secret}/`;
  return (request) =>
    request.path.startsWith(prefix)
      ? administrators({ ...request, path: request.path.slice(prefix.length - 1) })
      : handle(request);
}

const definitions = [...eventingDefinitions, serviceDefinition] as unknown as KubernetesObject[];

const storageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "kubernetes.io/host-path",
} as unknown as KubernetesObject;

function portComplaint(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE")
    return new UserError(`Port ${port} on 127.0.0.1 is in use; choose another with --port.`);
  if (error.code === "EACCES")
    return new UserError(`Port ${port} is not yours to use; choose one above 1023 with --port.`);
  return error;
}

const advice = (kubeconfig: string) => `It stays up. In another terminal:

  export KUBECONFIG=${shellWord(kubeconfig)}
  kubectl get ksvc,broker,trigger,apiserversource -n holdfast

The claim stays, and says so, until the pod that uses it has gone:

  kubectl apply -f ${fromHere(exampleFile)}
  kubectl delete pvc data --wait=false
  kubectl describe pvc data
  kubectl delete pod writer

The claims of two replicas go, because the set's annotation says so:

  kubectl apply -f ${fromHere(setFile)}
  kubectl scale sts web --replicas=1
  kubectl get pvc

Ctrl-C ends it and takes everything away.`;

/** npm runs scripts in the project's folder, wherever it was called. */
const fromHere = (file: string) => shellWord(relative(process.env.INIT_CWD ?? process.cwd(), file));
