import type { WrittenNames } from "../../shared/written-names.ts";
import { Volume } from "./lib/kinds.ts";
import { volumeFinalizer } from "./lib/volume.ts";

export const names: WrittenNames = {
  name: "volume",
  finalizers: {
    [volumeFinalizer]: {
      means:
        "On a Volume, it waits until no claim uses the PersistentVolume, and the node has reclaimed the storage. On " +
        "the PersistentVolume, it waits for the same, and goes first.",
      ifChanged:
        "A Volume that is not being deleted gets it again. If you remove it from one that is, the Volume goes, and " +
        "its storage stays on the node: no function reclaims it. The PersistentVolume then stays until you remove " +
        "its finalizer, too. A PersistentVolume that has lost it can no longer be deleted by the function: delete it " +
        "yourself, or the deletion of its Volume waits.",
    },
  },
  conditions: [
    {
      type: "Ready",
      on: [Volume.kind],
      says: "The status of the Volume, which [the column Status](volumes.md#what-a-volume-says) shows in one word.",
      statuses: {
        True: "Available: the PersistentVolume exists.",
        False: "Failed: the reason and the message say what to do.",
        Unknown: "Pending or Terminating: a job runs, or the message says what it waits for.",
      },
    },
  ],
};
