import type { LivenessCheck, LivenessTruth } from "../liveness/liveness-check.ts";
import {
  drainHook,
  hasLinstorCluster,
  isClusterDeleting,
  linstorIn,
  machinesOf,
  markedFor,
  nodesOf,
  policyOf,
  recordKey,
  satelliteOf,
  satellitesOf,
  terminateHook,
  volumesOf,
} from "./satellites.ts";

const check = (name: string, judge: (truth: LivenessTruth) => string | undefined): LivenessCheck => ({
  name,
  check: judge,
});

/** What is deleted goes, and nothing is kept of an evacuation that is over: no mark, no record, no missing copy. */
const evacuationsEnd = check("evacuations-end", (truth) => {
  const satellite = satellitesOf(truth).find(({ metadata }) => metadata.deletionTimestamp);
  if (satellite) {
    const said = satellite.status?.conditions?.map(({ type, message }) => `${type}: ${message}`).join(" ");
    return `LinstorSatellite ${satellite.metadata.name} is still there (${said}).`;
  }
  const machine = machinesOf(truth).find(({ metadata }) => metadata.deletionTimestamp);
  if (machine) return `Machine ${machine.metadata.name} is still there.`;
  const volume = volumesOf(truth).find((one) => markedFor(one).length > 0);
  if (volume) return `Volume ${volume.metadata.name} is still marked for ${markedFor(volume)}.`;
  const recorded = satellitesOf(truth).find(({ metadata }) => metadata.annotations?.[recordKey] !== undefined);
  if (recorded) return `LinstorSatellite ${recorded.metadata.name} stays, and has the record of an evacuation.`;
  return missingCopies(truth);
});

/** Every volume of two copies has two again, but where the policy gave one up. */
function missingCopies(truth: LivenessTruth): string | undefined {
  const { standIn, volumes, forfeited } = linstorIn(truth);
  const hasGivenUp = truth.scenario.name === "given-up" || isClusterDeleting(truth);
  for (const volume of volumes) {
    const good = standIn.goodCopies(volume).length;
    const needed = hasGivenUp || forfeited.has(volume) || ["single", "apart"].includes(volume) ? 1 : 2;
    if (good < needed) return `Volume ${volume} has ${good} good copies.`;
  }
  return undefined;
}

/** Each Node that is selected and has no taint has a satellite, and no other has; nor has a name without a Node. */
const nodesHaveSatellites = check("nodes-have-satellites", (truth) => {
  if (!hasLinstorCluster(truth)) return undefined;
  const names = new Set(nodesOf(truth).map(({ metadata }) => metadata.name));
  const left = satellitesOf(truth).find(({ metadata }) => !names.has(metadata.name));
  if (left) return `LinstorSatellite ${left.metadata.name} is there, and its Node is gone.`;
  const isTainted = (effect: string, taints: readonly { effect: string }[] = []) =>
    taints.some((taint) => taint.effect === effect);
  for (const { metadata, spec } of nodesOf(truth)) {
    const satellite = satelliteOf(truth, metadata.name);
    if (isTainted("NoExecute", spec?.taints)) {
      if (satellite) return `Node ${metadata.name} is tainted, and has a satellite.`;
    } else if (!satellite && !isTainted("NoSchedule", spec?.taints)) return `Node ${metadata.name} has no satellite.`;
  }
  return undefined;
});

/** A Machine that stays waits for its satellite where that would be evacuated, and for nothing otherwise. */
const machinesAreHooked = check("machines-are-hooked", (truth) => {
  for (const { metadata, status } of machinesOf(truth)) {
    const satellite = satelliteOf(truth, status?.nodeRef?.name ?? "");
    if (!satellite || metadata.deletionTimestamp || isClusterDeleting(truth)) continue;
    const hooks = [drainHook, terminateHook].filter((key) => metadata.annotations?.[key] !== undefined).length;
    const wanted = policyOf(satellite) === "Evacuate" ? 2 : 0;
    if (hooks !== wanted) return `Machine ${metadata.name} has ${hooks} hooks of ours, and should have ${wanted}.`;
  }
  return undefined;
});

/** What must have come about in the end where satellites are installed. */
export const liveness: readonly LivenessCheck[] = [evacuationsEnd, nodesHaveSatellites, machinesAreHooked];
