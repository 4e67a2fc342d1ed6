import type { Random } from "../../eventing/random.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Plan } from "./plan.ts";

/** Where the pods of functions are created and deleted. */
export interface FunctionPodTools {
  readonly client: Client;
  /** For the names. */
  readonly random: Pick<Random, "uuid">;
  /** Called when a pod cannot be created or deleted; the function goes on without it. */
  failed(pod: string, error: unknown): void;
}

/**
 * The Pod objects that stand for the processes of functions, so that sources see functions come and go as they do in
 * production.
 */
export type FunctionPods = ReturnType<typeof createFunctionPods>;

/**
 * A pod with this gate is never scheduled, so that no kubelet starts it a second time: it runs as a process already,
 * and nothing takes the gate away.
 */
const gate = "laptop.holdfast.dev/runs-as-a-process";

export function createFunctionPods({ client, random, failed }: FunctionPodTools) {
  const pending = new Set<Promise<void>>();

  function track(what: string, done: Promise<unknown>): void {
    const settled = done.then(
      () => {},
      (error: unknown) => failed(what, error),
    );
    pending.add(settled);
    void settled.then(() => pending.delete(settled));
  }

  return {
    /**
     * Creates the pod of an instance that starts, and returns what deletes it when the instance has gone. Neither
     * waits for the API server, and neither throws.
     */
    begin(plan: Plan, revision: string) {
      const pod = podOf(plan, revision, random.uuid().slice(-5));
      const { namespace, name } = pod.metadata;
      const what = `Pod ${namespace}/${name}`;
      const created = client.create(Pod, pod);
      track(what, created);
      return () => {
        // What was never created has been reported, and needs no deletion.
        const gone = created.then(
          ({ metadata: { uid } }) => client.delete(Pod, namespace, name, { uid, gracePeriodSeconds: 0 }),
          () => {},
        );
        track(what, gone);
      };
    },
    /** Resolves when everything that was to be created or deleted is. */
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/**
 * Named and labelled as Knative Serving does it; it meets the Pod Security standard `restricted`, as the functions' own
 * pods do.
 */
function podOf({ namespace, service, image, serviceAccount, labels }: Plan, revision: string, suffix: string) {
  const serving = { app: revision, "serving.knative.dev/service": service, "serving.knative.dev/revision": revision };
  return {
    apiVersion: Pod.apiVersion,
    kind: Pod.kind,
    metadata: { namespace, name: `${revision}-deployment-${suffix}`, labels: { ...labels, ...serving } },
    spec: {
      schedulingGates: [{ name: gate }],
      serviceAccountName: serviceAccount,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "user-container",
          image,
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  } as unknown as KubernetesObject;
}
