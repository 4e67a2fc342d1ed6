import { figuresOf } from "../process/figures.ts";
import { type Program, startListening } from "../process/program.ts";

/** What the memory of a function has come to, in bytes. */
export interface Memory {
  readonly rss: number;
  readonly peak: number;
}

/**
 * Starts a function, has it judge the only claim of the namespace `pods-<pods>`, and reads its memory: it has read the
 * whole list then, because no pod uses the claim, and has let the claim go.
 */
export async function memoryAfterJudging(program: Program, pods: number): Promise<Memory> {
  const running = await startListening(program);
  try {
    const response = await fetch(`http://127.0.0.1:${running.port}/`, {
      method: "POST",
      headers: {
        "ce-specversion": "1.0",
        "ce-id": `pods-${pods}`,
        "ce-source": "bench",
        "ce-type": "dev.knative.apiserver.ref.update",
        "ce-apiversion": "v1",
        "ce-kind": "PersistentVolumeClaim",
        "ce-namespace": `pods-${pods}`,
        "ce-name": "data",
      },
    });
    if (response.status !== 204) throw new Error(`204 was expected, not ${response.status}: ${await response.text()}`);
    return figuresOf(running.pid);
  } finally {
    await running.kill();
  }
}
