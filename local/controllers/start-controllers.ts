import { startClaimProtection } from "./claim-protection/start-claim-protection.ts";
import type { ControllerTools, Running } from "./controller.ts";
import { createControllerTools, type ToolsOptions } from "./controller-tools.ts";
import { type Everything, followEverything } from "./discovery/everything.ts";
import { startGarbageCollector } from "./garbage-collector/start-garbage-collector.ts";
import { type Kubelet, type KubeletOptions, startKubelet } from "./kubelet/start-kubelet.ts";
import { startNamespaceDeletion } from "./namespace/start-namespace-deletion.ts";
import { type SchedulerOptions, startScheduler } from "./scheduler/start-scheduler.ts";
import { startEphemeralVolumes } from "./start-ephemeral-volumes.ts";
import { startPodGc } from "./start-pod-gc.ts";
import { startServiceAccounts } from "./start-service-accounts.ts";
import { startVolumeProtection } from "./start-volume-protection.ts";
import { startStatefulSets } from "./statefulset/start-statefulsets.ts";
import { startVolumeBinder } from "./volume-binder/start-volume-binder.ts";

export interface ControllersOptions extends ToolsOptions {
  /**
   * As kube-controller-manager's `--controllers`: `*` for all, a name for one, `-name` for all but one. All by default.
   */
  controllers?: readonly string[];
  scheduler?: SchedulerOptions;
  /** Without it no kubelet is started, even if `controllers` names it. */
  kubelet?: KubeletOptions;
}

/** The controllers that were started. */
export interface Controllers extends Running {
  readonly kubelet?: Kubelet;
  /** Resolves when the signal has aborted and nothing watches any more. */
  readonly stopped: Promise<void>;
}

type Tools = ControllerTools & { readonly everything: Everything };

/** Every controller, by the name of Kubernetes' own. */
const starters: { readonly [name: string]: (tools: Tools, options: ControllersOptions) => Running | undefined } = {
  "ephemeral-volume-controller": startEphemeralVolumes,
  "garbage-collector-controller": startGarbageCollector,
  "kube-scheduler": (tools, { scheduler }) => startScheduler(tools, scheduler),
  kubelet: (tools, { kubelet }) => kubelet && startKubelet(tools, kubelet),
  "namespace-controller": startNamespaceDeletion,
  "persistentvolume-binder-controller": startVolumeBinder,
  "persistentvolume-protection-controller": startVolumeProtection,
  "persistentvolumeclaim-protection-controller": startClaimProtection,
  "pod-garbage-collector-controller": startPodGc,
  "serviceaccount-controller": startServiceAccounts,
  "statefulset-controller": startStatefulSets,
};

/** Starts the chosen controllers, which end with the signal. Throws when a name is not known. */
export function startControllers(options: ControllersOptions): Controllers {
  const { signal } = options;
  const names = chosen(options.controllers ?? ["*"]);
  const base = createControllerTools(options);
  let everything: Everything | undefined;
  const tools = {
    ...base,
    // Every kind there is is followed only when a controller asks for it.
    get everything() {
      everything ??= followEverything(base);
      return everything;
    },
  };
  const running = new Map(names.map((name) => [name, starters[name]?.(tools, options)] as const));
  const kubelet = running.get("kubelet") as Kubelet | undefined;
  const ended = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return {
    synced: Promise.all([...running.values()].map((one) => one?.synced)),
    stopped: ended.then(async () => {
      await Promise.all([base.reflections.stopped(), everything?.stopped()]);
    }),
    ...(kubelet ? { kubelet } : {}),
  };
}

function chosen(words: readonly string[]): string[] {
  const names = Object.keys(starters);
  const unknown = words.find((word) => word !== "*" && !names.includes(word.replace(/^-/, "")));
  if (unknown) throw new Error(`No controller is called ${unknown}. There are ${names.join(", ")}.`);
  return names.filter((name) => !words.includes(`-${name}`) && (words.includes(name) || words.includes("*")));
}
