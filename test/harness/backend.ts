import type { Cluster, Setting } from "./cluster.ts";
import type { WhenOver } from "./open-namespace.ts";

/**
 * Where clusters run: in this process on virtual time, on a real control plane, or as the processes of `npm start`. A
 * backend on real time has one cluster, and what it opens are namespaces of that.
 */
export interface Backend {
  /**
   * A cluster in this setting, for the running test. On real time the setting stays installed until another one is
   * asked for, by when no scenario of the one before may still run.
   */
  open(setting: Setting, test: { whenOver: WhenOver }): Promise<Cluster>;
  stop(): Promise<void>;
}
