import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { install, readInstallation } from "../../test/harness/installation.ts";
import { type Bundle, bundleFor } from "../budget/bundle.ts";
import type { Plane } from "../plane/boot.ts";
import { countingProxy } from "../plane/counting-proxy.ts";
import { startFunction } from "../plane/function.ts";
import { instant } from "../plane/watch-claims.ts";
import { measureBlock, type Passage } from "./measure.ts";

/** Blocks of one arm take turns with those of the other. */
const blocks = 2;
/** Milliseconds until the informer must watch. */
const patience = 30_000;

/** How many claims are woken one by one, and how many at once. */
export interface Comparison {
  readonly single: number;
  readonly burst: number;
  readonly print: (line: string) => void;
}

/** The passages of both, measured in turn on one API server. */
export async function compareLatencies(
  plane: Plane,
  { single, burst, print }: Comparison,
): Promise<{ readonly informer: readonly Passage[]; readonly holdfast: readonly Passage[] }> {
  const bundle = await bundleFor("pvc-protection/protect");
  try {
    const { objects } = readInstallation({ name: "bench", inTree: true, components: [], environment: {} });
    await install(plane.admin, objects);
    const perBlock = Math.ceil(single / blocks);
    const informer: Passage[][] = [];
    const holdfast: Passage[][] = [];
    for (let block = 0; block < blocks; block++) {
      const atOnce = block === blocks - 1 ? burst : 0;
      print(`Block ${block + 1} of ${blocks}: informer, then Holdfast ...`);
      informer.push(await withInformer(plane, `informer-${block}`, perBlock, atOnce));
      holdfast.push(await withFunction(plane, bundle, `holdfast-${block}`, perBlock, atOnce));
    }
    return { informer: informer.flat(), holdfast: holdfast.flat() };
  } finally {
    await bundle.remove();
  }
}

async function withFunction(plane: Plane, { entry }: Bundle, namespace: string, single: number, burst: number) {
  const pieces: { towards: "server" | "client"; at: number }[] = [];
  const proxy = await countingProxy(plane.port, (towards) => pieces.push({ towards, at: instant() }));
  const ports = { function: proxy.port, sources: plane.port };
  const atWork = await startFunction(plane, { name: "pvc-protection/protect", entry, ports, trace: true });
  try {
    return await measureBlock(plane, namespace, single, burst, async () => {}, { hops: atWork.hops, pieces });
  } finally {
    await atWork.stop();
    proxy.close();
  }
}

/** It starts when the claims are there, as its list of them is not what is measured. */
async function withInformer(plane: Plane, namespace: string, single: number, burst: number) {
  let end = async () => {};
  const start = async () => {
    const script = fileURLToPath(new URL("informer-process.ts", import.meta.url));
    const child = spawn(process.execPath, [script, plane.kubeconfig, namespace], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    const ended = once(child, "exit");
    end = async () => {
      kill();
      await ended;
      process.off("exit", kill);
    };
    const gone = ended.then(([code]) => Promise.reject(new Error(`The informer ended with exit code ${code}.`)));
    gone.catch(() => {});
    const signal = AbortSignal.timeout(patience);
    await Promise.race([once(child.stdout, "data", { signal }), gone]).catch((error) => {
      throw signal.aborted ? new Error(`The informer did not watch within ${patience / 1000} s.`) : error;
    });
  };
  try {
    return await measureBlock(plane, namespace, single, burst, start);
  } finally {
    await end();
  }
}
