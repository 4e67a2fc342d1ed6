import { listed } from "./data/data-facts.ts";
import { hooksOn, type MachineSeen } from "./machine.ts";
import type { VolumeFacts } from "./volumes.ts";

/**
 * What an evacuation that was given up has left, for a sentence; `undefined` when nothing. No satellite goes before it
 * is gone.
 */
export function leftovers({
  machine,
  volumes,
}: {
  readonly machine: MachineSeen | undefined;
  readonly volumes: readonly VolumeFacts[];
}): string | undefined {
  const marked = volumes.filter((volume) => volume.marked).map(({ name }) => name);
  const { preDrain = false, preTerminate = false } = machine ? hooksOn(machine) : {};
  const found = [
    ...(marked.length > 0 ? [`marks on ${listed(marked)}`] : []),
    ...(preDrain || preTerminate ? [`hooks on Machine ${machine?.object.metadata.name}`] : []),
  ];
  return found.length > 0 ? found.join(", ") : undefined;
}
