import { z } from "zod";
import { deletionPolicies } from "../satellite.ts";

/** What happens to a satellite's data when the satellite is deleted. */
export const deletionPolicy = z.enum(deletionPolicies);

/** A property of the LINSTOR node or pool: a value, or where on the Node it stands. */
export const property = z.object({
  name: z.string().min(1).describe("Key of the property in LINSTOR."),
  value: z.string().optional(),
  valueFrom: z
    .object({
      nodeFieldRef: z
        .string()
        .min(1)
        .optional()
        .describe("A field of the Node: metadata.name, metadata.labels['key'], metadata.annotations['key'] or a path."),
    })
    .optional(),
  optional: z.boolean().optional().describe("Leave the property out where the value is empty."),
});
export type Property = z.output<typeof property>;

const properties = z
  .array(property)
  .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
  .optional();

/** The kinds of storage that a pool may have, of which each has exactly one. */
export const storagePoolKinds = [
  "lvmPool",
  "lvmThinPool",
  "filePool",
  "fileThinPool",
  "zfsPool",
  "zfsThinPool",
] as const;

/** A storage pool of a satellite: exactly one kind of backing storage. */
const storagePool = z
  .object({
    name: z.string().min(3).describe("Name of the storage pool in LINSTOR."),
    properties,
    lvmPool: z.object({ volumeGroup: z.string().optional() }).optional(),
    lvmThinPool: z.object({ volumeGroup: z.string().optional(), thinPool: z.string().optional() }).optional(),
    filePool: z.object({ directory: z.string().optional() }).optional(),
    fileThinPool: z.object({ directory: z.string().optional() }).optional(),
    zfsPool: z.object({ zPool: z.string().optional() }).optional(),
    zfsThinPool: z.object({ zPool: z.string().optional() }).optional(),
    source: z
      .object({ hostDevices: z.array(z.string()).min(1).optional() })
      .optional()
      .describe("Raw devices of which the pool is made once."),
  })
  .meta({
    "x-kubernetes-validations": [
      {
        // Without macros: the API server counts what a rule may cost, for as many pools as fit an object.
        rule: storagePoolKinds
          .map((kind) => `(has(self.${kind}) ? 1 : 0)`)
          .join(" + ")
          .concat(" == 1"),
        message: "exactly one of lvmPool, lvmThinPool, filePool, fileThinPool, zfsPool and zfsThinPool must be given",
      },
    ],
  });

export type StoragePool = z.output<typeof storagePool>;

/** A duration as Go writes it, for example `5m` or `1h30m`; `0` is none. */
const duration = z.string().regex(/^(0|([0-9]+(\.[0-9]+)?(ms|s|m|h))+)$/);

/** How long step 4 of an evacuation waits for volumes. Where nothing is set it waits as long as it takes. */
export const evacuationStrategy = z.object({
  attachedVolumeReattachTimeout: duration
    .optional()
    .describe("How long to wait until a volume that was attached is attached elsewhere; 0 is not at all."),
  unattachedVolumeAttachTimeout: duration
    .optional()
    .describe("0, or nothing. Holdfast does not wait for volumes that are not attached, and refuses another duration."),
});

const reference = z.object({
  name: z.string(),
  kind: z.enum(["ConfigMap", "Secret"]).optional(),
  key: z.string().optional(),
  optional: z.boolean().optional(),
});

/** Certificates between controller and satellites. */
export const internalTLS = z.object({
  secretName: z.string().optional(),
  certManager: z.object({ name: z.string(), kind: z.string().optional(), group: z.string().optional() }).optional(),
  caReference: reference.optional(),
  tlsHandshakeDaemon: z.boolean().optional(),
});

/** A kustomize patch of the satellite's workload. */
export const patch = z.object({
  patch: z.string().min(1).describe("A strategic merge patch, or the list of a JSON patch (RFC 6902), as YAML."),
  target: z
    .object({
      group: z.string().optional(),
      version: z.string().optional(),
      kind: z.string().optional(),
      name: z.string().optional(),
      namespace: z.string().optional(),
      labelSelector: z.string().optional(),
      annotationSelector: z.string().optional(),
    })
    .optional()
    .describe("The objects that are patched: all that match every field that is given. A JSON patch needs a target."),
  options: z.record(z.string(), z.boolean()).optional(),
});
export type Patch = z.output<typeof patch>;

/** What configurations say of a satellite, and what a satellite's own spec is merged of. */
export const satelliteConfig = z.object({
  properties,
  storagePools: z
    .array(storagePool)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
    .optional(),
  internalTLS: internalTLS.optional(),
  ipFamilies: z.array(z.enum(["IPv4", "IPv6"])).optional(),
  patches: z.array(patch).optional(),
  deletionPolicy: z.union([deletionPolicy, z.literal("")]).optional(),
  evacuationStrategy: evacuationStrategy.optional(),
});
export type SatelliteConfig = z.output<typeof satelliteConfig>;
