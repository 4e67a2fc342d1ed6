import { z } from "zod";
import { maxUnavailable } from "../../../shared/budget/budget.ts";
import { timeZone, windowLength, windowSchedule } from "../../../shared/budget/maintenance-window.ts";
import { readDuration } from "../../../shared/duration.ts";
import { namespaceName } from "../../../shared/names.ts";
import { wholeNumber } from "../../../shared/whole-number.ts";

/** What all functions of the system are set by: in the ConfigMap `holdfast-eviction`. */
export const common = z.object({
  agentNamespace: namespaceName
    .default("yaook")
    .describe(
      "Namespace of the NovaComputeNodes and NeutronL2Agents, and of their pods. Those elsewhere are left alone.",
    ),
  evictionApproval: z
    .enum(["annotation", "none"])
    .default("annotation")
    .describe(
      "Whether a compute node is evicted, and an L2 agent replaced, only when a person agrees, by the annotation " +
        "holdfast.dev/approve-eviction; none: as soon as it is to leave, so that one edit may empty a cluster.",
    ),
  evictionMaxUnavailable: maxUnavailable
    .default("1")
    .describe(
      "How many compute nodes of a group may be out at a time, as a number or a percentage (rounded down, one at " +
        "least): an eviction begins when fewer are. 0: none is ever evicted without a person's agreement to it.",
    ),
  evictionGroupLabel: z
    .string()
    .max(316)
    .default("")
    .describe(
      "Label of Nodes, such as topology.kubernetes.io/zone: those with one value are a group. Empty: all are one.",
    ),
  evictionWindow: windowSchedule
    .default("")
    .describe("When maintenance windows open, in which evictions may begin: cron, five fields. Empty: at any time."),
  evictionWindowLength: windowLength.default("4h").describe("How long a maintenance window is open."),
  evictionTimeZone: timeZone.default("UTC").describe("The time zone of maintenance windows, such as Europe/Berlin."),
  evictionMoves: wholeNumber(1, 100)
    .default(2)
    .describe(
      "How many servers of one host are moved at a time; Nova moves one at a time live unless it is set otherwise.",
    ),
  evictionAttempts: wholeNumber(1, 20)
    .default(3)
    .describe("After how many failed moves a server is left where it is, and a person has to look."),
  evictionDownFor: z
    .string()
    .refine((text) => readDuration(text) !== undefined, "expected a number and a unit such as 5m")
    .default("5m")
    .describe("How long Nova and Kubernetes must both have said that a host is down before it counts as down."),
  evictionMostDown: wholeNumber(1, 100)
    .default(50)
    .describe(
      "Percentage of all nova-computes: while more of them do not report, no host is shut down and none evacuated, " +
        "because the network or Nova itself is the likelier cause.",
    ),
  evictionSharedStorage: z
    .enum(["true", "false"])
    .default("false")
    .describe(
      "Whether all hosts keep the disks of their servers on storage that all of them share (Ceph, NFS). Only then " +
        "servers whose disks are no volumes are evacuated from a host that is down; Nova checks that they are there.",
    ),
  evictionLookAgain: wholeNumber(1000)
    .default(20_000)
    .describe("Milliseconds after which OpenStack is asked again how far servers have moved."),
});
export type Common = z.output<typeof common>;
