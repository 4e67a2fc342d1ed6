/** What an Event's reason means, and what a person does: the column of docs/events.md. One entry for each reason. */
const advice: Readonly<Record<string, string>> = {
  AnotherVolumeBound:
    "The new claim of the name has another volume. To have the kept one instead, " +
    "[swap the two](undelete.md#swap-two-volumes).",
  BrokerRefused:
    "A broker took no events of the sweep. Look whether it is ready: `kubectl -n holdfast get brokers` (without " +
    "Knative: the log of `platform-source`). When it takes events again, the sweep sends one for each object.",
  ClaimBeingDeleted:
    "The pod wants a claim that is being deleted. Do what the message says: delete the pod, wait and create both " +
    "again, or, where the pod starts, save the data, which goes with the last pod.",
  ClaimNotIncluded:
    "The claim has a name of one of the set's claims but is not deleted with the " +
    "set. The message has the command that includes it.",
  DeletionPostponed:
    "The object is being deleted, and the message names what still uses it. When that is gone, the deletion " +
    "completes, and data that nothing keeps goes with it. If you need the data of " +
    "a claim, [have its volume kept](get-a-claim-back.md#the-claim-is-still-in-terminating) before that.",
  EvacuationQueued:
    "You need not do anything: the evacuation waits until another one is over. " +
    "`kubectl get linstorsatellites -o wide` shows both.",
  EvacuationStuck:
    "The evacuation does not go on without a person. Do what the condition `SatelliteEvacuated` of the " +
    "LinstorSatellite says: [what you see](satellites.md#what-you-see).",
  EvacuationTooLate:
    "The Machine was deleted before it had hooks, and its server is gone. " +
    "`linstor resource list --nodes NODE` names its volumes: see which have a copy elsewhere.",
  EventDeadLettered:
    "A function did not take an event. The message names the function; see [dead-lettered events](dead-letters.md).",
  EvictionStuck: "The eviction does not go on without a person. Do what the condition Converged says.",
  FormerDataBound:
    "A claim with a data source was bound to the former volume. See [restore a snapshot](restore-a-snapshot.md).",
  InTreeProtectionSilent:
    "Kubernetes' own protection did not release the claim. If it is switched off, set `IN_TREE=absent`.",
  InvalidController:
    "Correct `spec.externalController.url` of the LinstorCluster, or name its host in `LINSTOR_HOSTS`, as the " +
    "message says.",
  InvalidVolume:
    "The specification cannot be carried out. " +
    "[Delete the Volume and create it again](volumes.md#a-volume-that-failed).",
  ListRefused:
    "The sweep may not list a kind, or the API server does not serve it. Grant the right, or remove the row from the " +
    "sweep's table, a ConfigMap `holdfast-sweep-SYSTEM`.",
  MachineHeldForData:
    "Volumes on the Machine have no copy elsewhere. Set the policy to `Evacuate` again, or have LINSTOR make another " +
    "copy. The message has both ways, and the command that gives the data up.",
  MinionNotAnswering: "Check that the node and its salt-minion run, and that the master has accepted its key.",
  NamespaceFull:
    "The namespace keeps as much as `MOST_KEPT` or its ResourceQuota allows, and this volume goes with its " +
    "claim. Raise the limit that the message names, or have kept volumes reclaimed, which deletes their data: see " +
    "[undelete](undelete.md#how-much-is-kept).",
  NamespaceReplaced:
    "The namespace is gone or is another one, or the note of the volume was overwritten. An administrator may offer " +
    "the volume: `holdfast restore namespace`.",
  NewerProgress: "A newer version wrote this progress. Roll the function forward again.",
  NodeLeftBehind:
    "The Machine is gone, and Cluster API left its Node object behind. Make sure that the server is off, and delete " +
    "the Node: `kubectl delete node NAME`.",
  NodeMissing:
    "The Node does not exist. Bring it back. If it is gone for good, make sure that the machine is off, and " +
    "[give its storage up](volumes.md#a-node-that-is-gone).",
  KubernetesRefused:
    "The API server, a webhook or a policy refuses to change this object, or one that it needs. The message has the " +
    "reason in the server's words, and says since when. Remove the cause, and everything goes on within one sweep. " +
    "The Event stays until it expires. `holdfast explain` shows it only as long as the change is still to be made.",
  KubernetesUnreachable:
    "A webhook does not answer the API server. The message names it, and says since when. Repair it, and everything " +
    "goes on within one sweep.",
  NodeNameTooLong: "A Node with this name cannot be evacuated. Move its data by hand before you delete it.",
  OfferWithoutEffect:
    "A claim has the volume, and `holdfast.dev/offer=yes` was removed. Write it again when the claim is gone.",
  OperatorActive:
    "piraeus-operator still writes this satellite. Stop piraeus-operator, and then " +
    "[hand the satellites over](satellites.md#move-from-piraeus-operators-own-handling).",
  PersistentVolumeTaken:
    "Another PersistentVolume has the name of the Volume. If it is not being " +
    "deleted, delete the Volume and use another name.",
  PlacementUnreadable:
    "Correct `nodeSelector`, `nodeAffinity` or `tolerations` of the LinstorCluster. Until you do, Holdfast " +
    "creates no satellite for it, and deletes none whose Node still exists.",
  NotKeptAnyMore: "Nothing: no annotation asks to keep the volume any more, and it has its former policy again.",
  GivenToAnother: "Nothing: a person has reserved the kept volume for a claim of another name.",
  PolicyChangedByHand:
    "A person has changed the policy of a kept volume. With `Delete`, its data goes with the claim. To keep it, set " +
    "the policy to `Retain`.",
  PolicyUnreadable: "The annotation has no known value, and all claims are kept. Correct it.",
  ReclaimPostponed:
    "The time of the volume is over, and Holdfast still keeps it. If the message says that `undelete/reserve` has " +
    "not seen an offer, look whether `undelete/reserve` runs. If the message says that the volume is offered, wait " +
    "until the claim is bound, or correct the claim. If a claim of its name has no volume yet, " +
    "[offer it this one](undelete.md#swap-two-volumes), or delete the claim: Holdfast then reclaims the volume.",
  RemovalStuck: "The satellite is not removed without a person. Do what the condition `SatelliteDeleted` says.",
  RetentionPolicyHeld:
    "Another manager has chosen another value of the field; the more conservative " +
    "one is in force. Decide for one of the two.",
  RetentionPolicyTakenBack:
    "Another manager has changed the field back three times, and its value is in force. Remove the field there, then " +
    "the annotation `holdfast.dev/pvc-retention.sync-policy` from the set. If the namespace has the policy, annotate " +
    "the set with this policy instead.",
  ServerLeftInError:
    "A server that was off before its evacuation is in ERROR on another host. The message names it. Look at it in " +
    "Nova. Holdfast does nothing more about it, and the eviction goes on.",
  SatelliteAllowedToBeDrained: "Nothing: the Machine may be drained.",
  SatelliteAllowedToBeRemoved: "Nothing: the Machine may be deleted.",
  Configured: "Nothing: the satellite has its specification.",
  SatelliteNotConfigured: "LINSTOR refuses a pool or a property. Do what the condition `Configured` says.",
  SatelliteNotRegistered: "LINSTOR refuses the node. Do what the message says.",
  SatelliteNotSpawned: "The DaemonSet of the satellite cannot be made. Do what the condition `Applied` says.",
  SatelliteRetired: "Nothing: the Node of the satellite is gone or does not match, and its deletion policy applies.",
  SatellitesNotReady:
    "Satellites on other Nodes were not ready in time, and the evacuation goes on. Look at those that are named.",
  StaleSubscribers:
    "A broker's channel has wrong subscribers. Run the command in the message: see " +
    "[stale subscribers](stale-subscribers.md).",
  StorageAbandoned: "A person gave up the storage on a node that is gone. If it comes back, wipe it.",
  StorageClassMissing: "Create the StorageClass. The Volume goes on by itself.",
  StorageNotPrepared:
    "The node could not make the storage. Do what the message says, and then " +
    "[delete the Volume and create it again](volumes.md#a-volume-that-failed).",
  StorageNotReclaimed: "The node could not reclaim the storage. Correct what the message names.",
  PersistentVolumeRefused: "The API server refuses the template. Delete the Volume, create it with another one.",
  TableRefused: "A row of the sweep's tables cannot be read. Correct the line that is named.",
  UnreadableTime:
    "A time in an annotation cannot be read, and the volume is kept. Write a time such as 2030-01-31T12:00:00Z.",
  VolumeAttachedForEvacuation: "Nothing: the volume is attached elsewhere.",
  VolumeAvailable: "Nothing: the PersistentVolume exists, or is healthy again.",
  VolumeEvacuating: "Nothing: the volume's Node leaves, and the volume moves.",
  VolumeKept:
    "The claim is gone, and its volume is kept until the time that is named, but not offered. The message says why, " +
    "and how to offer it.",
  VolumeKeptAgain: "Nothing: the namespace keeps less than its limit again, and the volume outlives its claim.",
  VolumeLeftReleased:
    "The time of the kept volume was over, and its former policy `Retain` keeps it Released: delete the " +
    "PersistentVolume and its data if you do not need them any more.",
  VolumeNotAttachedForEvacuation:
    "The volume was not attached elsewhere in time, and the evacuation goes on. Its data may come to a node on which " +
    "its pod does not run: look where the pod runs.",
  VolumeNotKept: "The volume belongs to another object and cannot be kept. Keep its data by a backup.",
  VolumeOffered: "Nothing: the next claim of the name gets the volume.",
  VolumeReclaimed:
    "The time of the kept volume was over, and it has its former policy again. If this is `Delete`, Kubernetes " +
    "deletes the data now, and you cannot stop it. To keep other volumes longer, " +
    "[change their time](undelete.md#change-the-time).",
  VolumeTemporarilyMadeReschedulable: "Nothing: pods with this volume may run elsewhere while it moves.",
  VolumeUnavailable:
    "The PersistentVolume has failed. `kubectl describe pv NAME` shows the cause. Remove the cause, and the Volume " +
    "follows by itself.",
};

const away: Readonly<Record<string, string>> = {
  Unreachable: "does not answer. The message says since when. Repair it, and everything goes on within one sweep.",
  Unauthorized: "refuses the credentials. Correct the Secret, and everything goes on by itself.",
  Refused: "refuses a call until its cause is removed. Do what the message says.",
};

/** `SaltRefused` is of Salt, `ClusterAPIUnreachable` of Cluster API. */
const ofSystem = /^(?<system>\w+?)(?<what>Unreachable|Unauthorized|Refused)$/;

function adviceOnSystem(reason: string): string | undefined {
  const { system = "", what = "" } = ofSystem.exec(reason)?.groups ?? {};
  return system && `${system.replace("ClusterAPI", "Cluster API")} ${away[what]}`;
}

/** @throws Error for a reason of which nothing is known here. */
export function adviceOf(reason: string): string {
  const text = advice[reason] ?? adviceOnSystem(reason);
  if (!text) throw new Error(`build/manifests/event-advice.ts has no advice for the Event ${reason}.`);
  return text;
}

/** Reasons that have advice, but for those of external systems. */
export const advised: readonly string[] = Object.keys(advice);
