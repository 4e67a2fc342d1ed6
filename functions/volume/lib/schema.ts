import * as z from "zod";

/** A field that stays as it was created: storage on a node does not change with its description. */
const immutable = (what: string, ...more: readonly Validation[]) => ({
  "x-kubernetes-validations": [
    { rule: "self == oldSelf", message: `${what} cannot be changed: create another Volume, and move the data there` },
    ...more,
  ],
});

interface Validation {
  readonly rule: string;
  readonly message: string;
}

/** The name of an object of the cluster; waiting for one that cannot exist would never end. */
const nameOf = (what: string) => ({
  rule: "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
  message: `must be the name of a ${what}: lower case letters, digits, - and .`,
});

const name = z.string().min(1).max(253);

/**
 * A size as the node takes it. Kubernetes knows further forms (exponents, milli, exa), which no device has.
 */
const size = z
  .union([z.int(), z.string()])
  .describe("How much storage: bytes, or a number with one of k, M, G, T, P, Ki, Mi, Gi, Ti, Pi.")
  .meta({
    "x-kubernetes-validations": [
      {
        rule:
          "type(self) == string ? self.matches('^[0-9]{1,18}([.][0-9]{1,18})?([kMGTP]|[KMGTP]i)?$') " +
          "&& self.matches('[1-9]') : self > 0",
        message: "must be more than 0: bytes, or a number with one of k, M, G, T, P, Ki, Mi, Gi, Ti, Pi, such as 10Gi",
      },
    ],
  });

/** As the API server wants it; what is wrong with a key it says itself, when the PersistentVolume is to be made. */
const labelValue = z
  .string()
  .max(63)
  .regex(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/);

const source = {
  sparseLoopDevice: z.object({ size }).describe("A sparse file on the node, behind a loop device."),
  rawBlockDevice: z
    .object({
      devicePath: z
        .string()
        .max(1024)
        .describe("The path of the device on the node, for example /dev/sdb.")
        .meta({
          "x-kubernetes-validations": [
            {
              rule: "self.matches('^/dev/[A-Za-z0-9_.:+@=/-]+$') && !self.contains('..')",
              message: "must be the path of a device, such as /dev/sdb",
            },
          ],
        }),
      requireBlank: z
        .enum(["sample", "full"])
        .optional()
        .describe(
          "How a device is checked for data. sample, the default: all of a device of up to 1 GiB; of a larger one, " +
            "both ends and 4096 pieces of 64 KiB at equal distances. full: all of it, which may take hours.",
        ),
    })
    .describe("A whole disk, a partition, or a logical volume that is there already."),
  lvmLogicalVolume: z
    .object({
      vgName: z
        .string()
        .min(1)
        .max(127)
        .describe("The volume group on the node.")
        .meta({
          "x-kubernetes-validations": [
            {
              rule: "self.matches('^[A-Za-z0-9_+.][A-Za-z0-9_+.-]*$') && !(self in ['.', '..'])",
              message: "must be the name of a volume group: letters, digits, and + _ . - within it",
            },
          ],
        }),
      size,
    })
    .describe("A logical volume that is made in a volume group of the node."),
};

/** Storage on one node, and the PersistentVolume that it is to become. */
export const volumeSpec = z
  .object({
    nodeName: name
      .describe("The node that has the storage; also the id of its Salt minion.")
      .meta(immutable("the node", nameOf("Node"))),
    storageClassName: name
      .describe("The class of the PersistentVolume; its parameters say how a file system is made.")
      .meta(immutable("the class", nameOf("StorageClass"))),
    mode: z
      .enum(["Filesystem", "Block"])
      .default("Filesystem")
      .describe("Whether pods get a file system or the device.")
      .meta(immutable("the mode")),
    template: z
      .object({
        metadata: z
          .looseObject({ labels: z.record(z.string(), labelValue), annotations: z.record(z.string(), z.string()) })
          .partial()
          .optional()
          .describe("Labels and annotations of the PersistentVolume."),
        spec: z
          .looseObject({})
          .optional()
          .describe("Fields of the PersistentVolume that Holdfast does not set itself."),
      })
      .optional()
      .describe("What the PersistentVolume is made from."),
    sparseLoopDevice: source.sparseLoopDevice.meta(immutable("the device")).optional(),
    rawBlockDevice: source.rawBlockDevice.meta(immutable("the device")).optional(),
    lvmLogicalVolume: source.lvmLogicalVolume.meta(immutable("the logical volume")).optional(),
  })
  .meta({
    "x-kubernetes-validations": [
      {
        rule:
          "[has(self.sparseLoopDevice), has(self.rawBlockDevice), has(self.lvmLogicalVolume)].filter(given, " +
          "given).size() == 1",
        message: "exactly one of sparseLoopDevice, rawBlockDevice and lvmLogicalVolume must be set",
      },
      {
        rule:
          "has(self.sparseLoopDevice) == has(oldSelf.sparseLoopDevice) && has(self.rawBlockDevice) " +
          "== has(oldSelf.rawBlockDevice)",
        message: "the kind of storage cannot be changed: create another Volume, and move the data there",
      },
    ],
  });
export type VolumeSpec = z.output<typeof volumeSpec>;

/** Why a Volume is in its state, as MetalK8s names it. */
export const reasons = [
  "Pending",
  "Terminating",
  "InternalError",
  "CreationError",
  "DestructionError",
  "UnavailableError",
] as const;
export type Reason = (typeof reasons)[number];

/** What people and tools see of a Volume. */
export const volumeStatus = z.object({
  phase: z
    .enum(["Pending", "Available", "Failed", "Terminating"])
    .optional()
    .describe("The state in one word, derived from the condition Ready."),
  job: z.string().max(100).optional().describe("The Salt job in hand, `<step>/<jid>`; empty when there is none."),
  deviceName: z.string().max(255).optional().describe("The kernel's name of the device at present, for example loop3."),
  conditions: z
    .array(
      z.object({
        type: z.enum(["Ready"]),
        status: z.enum(["True", "False", "Unknown"]),
        reason: z.enum(["", ...reasons]).optional(),
        message: z.string().optional(),
        lastUpdateTime: z.iso.datetime().optional(),
        lastTransitionTime: z.iso.datetime().optional(),
      }),
    )
    .optional()
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] })
    .describe("Whether the storage is ready, and why not."),
});
export type VolumeStatus = z.output<typeof volumeStatus>;
