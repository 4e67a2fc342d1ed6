import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { install, readInstallation } from "../../worlds/installation.ts";
import { type Bundle, bundleFor } from "../budget/bundle.ts";
import { bootPlane, type Plane } from "../plane/boot.ts";
import { startFunction } from "../plane/function.ts";
import { measureBlock, type Passage } from "./measure.ts";
import { printLatency } from "./print.ts";

/** Blocks of one arm take turns with those of the other. */
const blocks = 2;

/**
 * `npm run bench -- latency [--single 200] [--burst 1000]`: from a claim's change to the patch that answers it, by a function
 * behind sources and a broker, and by a plain informer of client-node that does the same patch.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { single: { type: "string", default: "200" }, burst: { type: "string", default: "1000" } },
  });
  const plane = await bootPlane();
  if (!plane) return;
  const bundle = await bundleFor("pvc-protection/protect");
  try {
    const { objects } = readInstallation({ name: "bench", inTree: true, components: [], environment: {} });
    await install(plane.admin, objects);
    const perBlock = Math.ceil(Number(values.single) / blocks);
    const informer: Passage[][] = [];
    const holdfast: Passage[][] = [];
    for (let block = 0; block < blocks; block++) {
      const burst = block === blocks - 1 ? Number(values.burst) : 0;
      console.log(`Block ${block + 1} of ${blocks}: informer, then Holdfast ...`);
      informer.push(await withInformer(plane, `informer-${block}`, perBlock, burst));
      holdfast.push(await withFunction(plane, bundle, `holdfast-${block}`, perBlock, burst));
    }
    printLatency(informer.flat(), holdfast.flat());
  } finally {
    await bundle.remove();
    await plane.stop();
  }
}

async function withFunction(plane: Plane, { entry }: Bundle, namespace: string, single: number, burst: number) {
  const ports = { function: plane.port, sources: plane.port };
  const atWork = await startFunction(plane, { name: "pvc-protection/protect", entry, ports, trace: true });
  try {
    return await measureBlock(plane, namespace, single, burst, async () => {}, atWork.hops);
  } finally {
    await atWork.stop();
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
    await once(child.stdout, "data");
  };
  try {
    return await measureBlock(plane, namespace, single, burst, start, []);
  } finally {
    await end();
  }
}
