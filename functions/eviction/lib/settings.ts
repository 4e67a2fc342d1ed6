import { z } from "zod";
import { limitSettings } from "../../../shared/budget/limits.ts";
import { durationSetting } from "../../../shared/duration-setting.ts";
import { namespaceName } from "../../../shared/names.ts";
import { wholeNumber } from "../../../shared/whole-number.ts";

/** What all functions of the system are set by: in the ConfigMap `holdfast-eviction`. */
export const common = z.object({
  agentNamespace: namespaceName
    .default("yaook")
    .describe(
      "Namespace of the resources of all hosts and agents, and of their pods. Holdfast leaves those elsewhere alone. " +
        "The Roles of the functions for pods are there: if you change this setting, move them, too.",
    ),
  evictionApproval: z
    .enum(["annotation", "none"])
    .default("annotation")
    .describe(
      "With `annotation`, Holdfast evicts a host or an agent, and replaces an L2 agent, only when a person agrees by " +
        "holdfast.dev/approve-eviction. With `none`, it does so at once, and one edit may empty a cluster.",
    ),
  ...limitSettings("eviction", "compute nodes", "1"),
  evictionMoves: wholeNumber(1, 100)
    .default(2)
    .describe("How many servers of one host are moved at a time; Nova does one live move at a time by default."),
  evictionAttempts: wholeNumber(1, 20)
    .default(3)
    .describe("After how many failed or refused moves Holdfast leaves a server where it is, until a person acts."),
  evictionDownFor: durationSetting("5m")
    .default("5m")
    .describe("How long Nova and Kubernetes must both have said that a host is down before it counts as down."),
  evictionMostDown: wholeNumber(1, 100)
    .default(50)
    .describe(
      "Percentage of all nova-computes. While more of them do not report, no host is shut down or evacuated, " +
        "because the cause is more likely the network or Nova.",
    ),
  evictionSharedStorage: z
    .enum(["true", "false"])
    .default("false")
    .describe(
      "Whether the disks of servers are on storage that all hosts share (Ceph, NFS). Only then " +
        "servers whose disks are not volumes are evacuated from a dead host. Nova checks that the disks are there.",
    ),
  evictionLookAgain: wholeNumber(1000)
    .default(20_000)
    .describe("Milliseconds after which Holdfast asks OpenStack again how far servers have moved."),
});
export type Common = z.output<typeof common>;
