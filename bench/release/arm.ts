import type { Plane } from "../plane/boot.ts";
import { countingProxy } from "../plane/counting-proxy.ts";
import { startFunction } from "../plane/function.ts";
import { figuresOf } from "../process/figures.ts";
import { startControllerManager } from "./controller-manager.ts";

/** A program that releases claims, at work. */
export interface Worker {
  readonly pid: number;
  /** Bytes between it and the API server so far; what brings it its events included. */
  bytes(): number;
  /** Of these, the bytes of its own calls; absent where no other process calls for it. */
  ownBytes?(): number;
  /** Milliseconds of processor time that the source and the broker before it have used so far. */
  besides?(): number;
  stop(): Promise<void>;
}

/** A program to be measured. */
export interface Arm {
  readonly name: string;
  start(plane: Plane): Promise<Worker>;
}

/** Kubernetes' own controller, alone in its process, with these flags. */
export function inTree(name: string, binary: string, flags: readonly string[] = []): Arm {
  return {
    name,
    async start({ port }) {
      const proxy = await countingProxy(port);
      const { pid, stop } = await startControllerManager(binary, proxy.port, flags);
      return {
        pid,
        bytes: proxy.bytes,
        async stop() {
          await stop();
          proxy.close();
        },
      };
    },
  };
}

/** The function, in the place of the controller: the same finalizer on the same claims. */
export function ours(entry: string): Arm {
  return {
    name: "Holdfast",
    async start(plane) {
      const calls = await countingProxy(plane.port);
      const watches = await countingProxy(plane.port);
      const { pid, eventsPid, stop } = await startFunction(plane, {
        name: "pvc-protection/release",
        entry,
        ports: { function: calls.port, sources: watches.port },
        finalizer: "kubernetes.io/pvc-protection",
      });
      return {
        pid,
        bytes: () => calls.bytes() + watches.bytes(),
        ownBytes: calls.bytes,
        besides: () => figuresOf(eventsPid).cpu,
        async stop() {
          await stop();
          calls.close();
          watches.close();
        },
      };
    },
  };
}
