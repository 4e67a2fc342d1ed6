import type { ConditionMeaning, WrittenNames } from "../../shared/written-names.ts";
import { appliedKey } from "./lib/configuration/wanted-spec.ts";
import { copiesKey } from "./lib/copies-note.ts";
import { LinstorSatellite, LinstorSatelliteConfiguration } from "./lib/kinds.ts";
import { linstorKey } from "./lib/linstor-note.ts";
import { machineKey, machineLeavesLabel, preDrainHook, preTerminateHook } from "./lib/machine.ts";
import { changedLabel } from "./lib/matching/candidate.ts";
import { nodeDigestKey } from "./lib/node-digest.ts";
import { registrationKey, removalKey, restorationKey } from "./lib/noted-calls.ts";
import { recordKey } from "./lib/record.ts";
import { conditions, lifeConditions, satelliteFinalizer } from "./lib/satellite.ts";
import { marksFor } from "./lib/volumes.ts";

const marks = marksFor("*");

/** An Error that only a person ends, and an external system that is away. */
const evacuationStatuses: ConditionMeaning["statuses"] = {
  True: "Nothing is left to be moved.",
  False: "The message says what it waits for. If the message begins with `Error:`, a person must act.",
  Unknown: "LINSTOR or Cluster API does not answer. It goes on by itself.",
};

export const names: WrittenNames = {
  name: "satellite",
  annotations: {
    "evacuate.holdfast.dev/*": {
      means:
        "On the Lease `holdfast-linstor-evacuate`: a call to evacuate a node, which LINSTOR may be carrying out. " +
        "LINSTOR must not carry out two at once.",
      ifChanged:
        "Leave it. It counts for ten minutes at most, and the next call removes it. If it cannot be read, no call " +
        "begins: remove it when LINSTOR has had no call to evacuate for ten minutes.",
    },
    [copiesKey]: {
      means:
        "Where LINSTOR had the copies of the volumes when await-empty last looked: for each resource, its nodes and " +
        "the state of the copy there. The console shows it.",
      ifChanged: "await-empty writes it again while copies are being moved. Nothing is decided by it.",
    },
    [recordKey]: {
      means:
        "The evacuation has begun: since when, when LINSTOR was called, and how many copies each volume had before. " +
        "`holdfast uninstall` does not begin while it is there.",
      ifChanged:
        "Remove it only if the condition says so. In the middle of an evacuation, Holdfast begins again, and takes " +
        "the copies that are left for all that there were. It may call LINSTOR a second time. [How to undo an " +
        "evacuation](satellites.md#undo-an-evacuation).",
    },
    [linstorKey]: {
      means:
        "[Which LINSTOR](satellites.md#an-external-controller) has the node, and its uuid there. If a person removed " +
        "the node there and Holdfast registered it again, also the uuid that it had before.",
      ifChanged:
        "Remove it only if the condition says so. By that you confirm that the LINSTOR at the present address is the " +
        "right one. If the satellite stays, register writes it again when LINSTOR is connected. If the satellite is " +
        "being deleted, it goes when that LINSTOR does not list the node.",
    },
    [machineKey]: {
      means: "The Machine of the Node, whether it is being deleted, and whether it may have hooks.",
      ifChanged:
        "While the Node is there, set-hooks writes it again. Without the Node, Holdfast does not know the Machine " +
        "any more: remove its hooks yourself when its data is elsewhere. Remove the annotation only if the " +
        "management cluster is gone.",
    },
    [nodeDigestKey]: {
      means: "A digest of the Node. When it changes, the functions look at the satellite.",
      ifChanged: "create writes it again. Nothing is decided by it.",
    },
    [registrationKey]: {
      means:
        "When LINSTOR was last called to register the node. A satellite does not go while such a call may take " +
        "effect.",
      ifChanged:
        "Leave it. Without it, LINSTOR may be called twice, and a call that takes effect late leaves a node in " +
        "LINSTOR whose satellite is gone.",
    },
    [removalKey]: {
      means:
        "LINSTOR was called to remove the node. The satellite, and with it the name, stays while that call may take " +
        "effect.",
      ifChanged:
        "Leave it. Without it, the call may remove a new node of the same name, **with its data**. It counts for ten " +
        "minutes at most.",
    },
    [restorationKey]: {
      means:
        "When LINSTOR was last called to restore the node. The node is not evacuated while such a call may take " +
        "effect.",
      ifChanged:
        "Leave it. Without it, a call that takes effect late may stop an evacuation that has begun since. It counts " +
        "for ten minutes at most.",
    },
    [marks.override]: {
      means:
        "Piraeus' own, for the Node in the name: the LINSTOR Affinity Controller lets the volume be used on every " +
        "Node. It stays until the evacuation is complete.",
      ifChanged:
        "If you remove it while the volume is attached on the Node, mark writes it again. After that, a pod may find " +
        "no Node for its volume until the data has moved.",
    },
    [marks.waits]: {
      means: "Piraeus' own: the evacuation of the Node waits until the volume is attached elsewhere.",
      ifChanged:
        "You may remove it: the evacuation then no longer waits for this volume. If its pod stays, the data may be " +
        "moved away from it.",
    },
    [marks.since]: {
      means: "Since when the evacuation has waited for the volume. `attachedVolumeReattachTimeout` counts from there.",
      ifChanged:
        "You may change the time. If you remove this annotation alone, a timeout greater than zero never ends. If " +
        "you remove both, the wait begins again.",
    },
    [appliedKey]: {
      means: "Piraeus' own: the configurations that the specification of the satellite is made of.",
      ifChanged: "configure writes it again. Nothing is decided by it.",
    },
    [preDrainHook]: {
      means:
        "Cluster API drains the Machine only when it is removed. Holdfast removes it when the satellite may be " +
        "drained.",
      ifChanged:
        "Until the evacuation has begun, set-hooks sets it again. After that, it does not come back: the Node is " +
        "drained before its volumes may be attached elsewhere.",
    },
    [preTerminateHook]: {
      means: "Cluster API deletes the server only when it is removed. Holdfast removes it when the data is elsewhere.",
      ifChanged:
        "Until the evacuation has begun, set-hooks sets it again. After that, it does not come back: **the server " +
        "goes with its disks**. [After an uninstall](uninstall.md#with-satellites-or-evictions), remove both hooks " +
        "yourself.",
    },
  },
  labels: {
    "app.kubernetes.io/managed-by": {
      means: "`holdfast`: create has created the satellite.",
      ifChanged: "Nothing changes: only people read it.",
    },
    [changedLabel]: {
      means:
        "Something of the Node has changed that decides about its satellite. The admission policy sets it, create " +
        "removes it.",
      ifChanged:
        "If you remove it too early, the change counts with the next resync. If you set it, create looks once more.",
    },
    [machineLeavesLabel]: {
      means: "The Machine of the satellite is being deleted. The sweep finds satellites by it.",
      ifChanged:
        "Leave it. Without it, an evacuation that could not begin, because LINSTOR did not answer, begins only with " +
        "the next event of the satellite or its Machine.",
    },
  },
  finalizers: {
    [satelliteFinalizer]: {
      means:
        "Piraeus' own. It waits for what the [deletion policy](satellites.md#when-a-node-leaves) of the satellite " +
        "says: that the data is on other nodes (`Evacuate`), or that LINSTOR has given up the node (`Delete`).",
      ifChanged:
        "If the satellite is not being deleted, apply-daemonset adds it again. If it is, the satellite goes at once: " +
        "its pods stop, LINSTOR keeps the node OFFLINE with its copies, and no function moves them. Marks on volumes " +
        "and hooks on the Machine may stay, so that the Machine waits for ever.",
    },
  },
  conditions: [
    {
      type: lifeConditions.applied,
      on: [LinstorSatellite.kind],
      says: "Whether the DaemonSet is as the spec says.",
      statuses: {
        True: "It is.",
        False: "It is being made, or the message begins with `Error:` and says what to correct.",
      },
    },
    {
      type: lifeConditions.applied,
      on: [LinstorSatelliteConfiguration.kind],
      says: "To how many satellites the configuration applies.",
      statuses: {
        True: "It applies to as many as the message says.",
        False: "It has an error. Its satellites keep what they have until you correct it.",
      },
    },
    {
      type: lifeConditions.available,
      on: [LinstorSatellite.kind],
      says: "Whether LINSTOR is connected with the satellite.",
      statuses: {
        True: "It is.",
        False: "It is not. The message says what it waits for, or begins with `Error:` and says what to do.",
      },
    },
    {
      type: lifeConditions.configured,
      on: [LinstorSatellite.kind],
      says: "Whether LINSTOR has the properties and storage pools of the spec.",
      statuses: {
        True: "It has. Pools that the spec does not name stay, and the message names them.",
        False: "Something is still to be set, or LINSTOR refuses it. The message says what.",
        Unknown: "The satellite is not registered or not ONLINE yet.",
      },
    },
    {
      type: conditions.evacuated,
      on: [LinstorSatellite.kind],
      says: "How far the evacuation has come.",
      statuses: evacuationStatuses,
    },
    {
      type: conditions.documented,
      on: [LinstorSatellite.kind],
      says: `The same as \`${conditions.evacuated}\`, under the name in Piraeus' documentation.`,
      statuses: evacuationStatuses,
    },
    {
      type: conditions.deleted,
      on: [LinstorSatellite.kind],
      says: "How far the removal of a satellite has come that is being deleted.",
      statuses: { ...evacuationStatuses, True: "Nothing is left to do. The satellite goes." },
    },
    {
      type: "HoldfastActive",
      on: [LinstorSatellite.kind],
      says: "Whether Holdfast acts on the satellite. It is there only after it has been False once.",
      statuses: {
        True: "It does.",
        False:
          "It does nothing in LINSTOR: piraeus-operator still writes the satellite (`OperatorActive`), or the " +
          "address of the LINSTOR is refused (`InvalidController`).",
      },
    },
  ],
};
