import { dirname } from "node:path";
import { createEventing } from "../../eventing/control/eventing.ts";
import type { ControllerTools } from "../controllers/controller.ts";
import { startEventingController } from "../knative/control/controller.ts";
import { crashingDispatcher } from "../knative/crashing-dispatcher.ts";
import { asServiceAccount } from "../knative/service-account.ts";
import { createActivator } from "../serving/activator.ts";
import { openClusterNetwork } from "../serving/cluster-network.ts";
import { startServingController } from "../serving/controller.ts";
import { KnativeService } from "../serving/kind.ts";
import { createFunctionPods } from "../serving/pods.ts";
import { untilAborted } from "../time/until-aborted.ts";
import type { Activity } from "./activity.ts";
import type { Credentials } from "./credentials.ts";
import { readEnvironment } from "./environment.ts";
import type { Bundles } from "./launch.ts";

/** What Knative runs on here. */
export interface KnativeParts {
  /** To the API server, as an account that may read and write what Knative's own controllers do. */
  readonly tools: ControllerTools;
  /** The API server's URL. */
  readonly server: string;
  readonly credentials: Credentials;
  readonly bundles: Pick<Bundles, "launch">;
  readonly activity: Omit<Activity, "counts">;
  /** Milliseconds without a request after which a function goes. */
  readonly window: number;
}

const ingress = "http://broker-ingress.knative-eventing.svc.cluster.local";

/**
 * Starts sources, brokers and the activator on what the cluster's objects say. Sources and functions act as the service
 * accounts that their objects name.
 */
export async function startKnative(parts: KnativeParts) {
  const { tools, server, credentials, bundles, activity, window } = parts;
  const ended = new AbortController();

  const activator = createActivator({
    window,
    pods: createFunctionPods({
      ...tools,
      failed: (subject, error) => tools.trouble({ controller: "serving", subject, error }),
    }),
    async launch(plan, name) {
      const KUBECONFIG = await credentials.kubeconfigFor(plan.namespace, plan.serviceAccount);
      const environment = await readEnvironment(tools.client, plan, dirname(KUBECONFIG));
      const identity = plan.hasNoToken ? {} : { KUBECONFIG };
      return bundles.launch(plan, name, { ...environment, ...identity, ...network.environment });
    },
    onEvent(name, event) {
      serving.observe(name, event);
      activity.onEvent(name, event);
    },
    onRecord: activity.onRecord,
  });
  const serving = startServingController(tools, activator);
  const eventing = createEventing({
    tools: {
      ...tools,
      // No run waits at its end for events that are to be delivered again.
      clock: untilAborted(tools.clock, ended.signal),
      server,
      send: activator.send,
      trace: activity.onHop,
      beginSpan: activity.beginSpan,
    },
    ingress,
    createBroker: crashingDispatcher(),
    identify: (namespace, name) => asServiceAccount(tools, namespace, name),
    resolve: ({ apiVersion, kind, namespace = "", name }) =>
      apiVersion === KnativeService.apiVersion && kind === KnativeService.kind
        ? serving.addressOf(namespace, name)
        : undefined,
  });
  const network = await openClusterNetwork(eventing.send, activator.pass);
  const services = tools.reflections.of(KnativeService);
  services.on((change) => change !== "update" && eventing.refresh());
  const controller = startEventingController(tools, eventing);

  return {
    synced: Promise.all([serving.synced, controller.synced]),
    /** Sends into the cluster's network, as a pod would: to brokers and to Knative Services. */
    send: eventing.send,
    /** The address of an HTTP proxy into it, for browsers and curl. */
    network: network.url,
    /** How many processes functions have. */
    processes: activator.processes,
    /** Ends every function. */
    async close() {
      ended.abort();
      await activator.close();
      await network.close();
    },
  };
}
