import type { ControllerTools } from "../controller.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { bindCompleted, hasAnnotation, selectedNode } from "./annotations.ts";
import { bind, setClaimPhase } from "./bind.ts";
import { type BinderCaches, waitsForConsumer } from "./caches.ts";
import { findVolume, isFor, mismatch } from "./match-volume.ts";
import { component, provision } from "./provision.ts";

/** Brings one claim forward: finds or makes a volume for it, or says that the one it had is lost. */
export async function syncClaim(tools: ControllerTools, caches: BinderCaches, claim: ClaimObject): Promise<void> {
  if (hasAnnotation(claim, bindCompleted)) await checkBinding(tools, caches, claim);
  else if (claim.spec.volumeName) await bindToNamed(tools, caches, claim, claim.spec.volumeName);
  else await findOrMake(tools, caches, claim);
}

async function findOrMake(tools: ControllerTools, caches: BinderCaches, claim: ClaimObject): Promise<void> {
  const { client, record } = tools;
  const waits = waitsForConsumer(claim, caches);
  const volume = findVolume(claim, caches.volumes.list(), { reservedOnly: waits });
  if (volume) return bind(client, volume, claim);

  const { storageClassName } = claim.spec;
  const recordEvent = (type: "Normal" | "Warning", reason: string, note: string) =>
    record(claim, { type, reason, note, by: component });
  if (waits && !hasAnnotation(claim, selectedNode)) {
    recordEvent("Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  } else if (storageClassName) {
    const storageClass = caches.classes.get(undefined, storageClassName);
    if (storageClass) return provision(tools, claim, storageClass);
    recordEvent("Warning", "ProvisioningFailed", `storageclass.storage.k8s.io "${storageClassName}" not found`);
  } else {
    recordEvent(
      "Normal",
      "FailedBinding",
      "no persistent volumes available for this claim and no storage class is set",
    );
  }
  await setClaimPhase(client, claim, "Pending");
}

async function bindToNamed(
  { client, record }: ControllerTools,
  caches: BinderCaches,
  claim: ClaimObject,
  volumeName: string,
): Promise<void> {
  const volume = caches.volumes.get(undefined, volumeName);
  if (!volume) return setClaimPhase(client, claim, "Pending");
  const warn = (reason: string, note: string) => record(claim, { type: "Warning", reason, note, by: component });
  if (!volume.spec.claimRef) {
    const reason = mismatch(volume, claim);
    if (!reason) return bind(client, volume, claim);
    warn("VolumeMismatch", `Cannot bind to requested volume "${volumeName}": ${reason}`);
  } else if (isFor(volume, claim)) {
    return bind(client, volume, claim);
  } else {
    warn("FailedBinding", `volume "${volumeName}" already bound to a different claim.`);
  }
  await setClaimPhase(client, claim, "Pending");
}

async function checkBinding(
  { client, record }: ControllerTools,
  caches: BinderCaches,
  claim: ClaimObject,
): Promise<void> {
  const { volumeName } = claim.spec;
  const volume = volumeName ? caches.volumes.get(undefined, volumeName) : undefined;
  const claimRef = volume?.spec.claimRef;
  if (volume && (!claimRef || claimRef.uid === claim.metadata.uid)) return bind(client, volume, claim);

  if (claim.status?.phase === "Lost") return;
  const [reason, note] = volume
    ? ["ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly"]
    : [
        "ClaimLost",
        `Bound claim has lost ${volumeName ? "its" : "reference to"} PersistentVolume. Data on the volume is lost!`,
      ];
  await setClaimPhase(client, claim, "Lost");
  record(claim, { type: "Warning", reason, note, by: component });
}
