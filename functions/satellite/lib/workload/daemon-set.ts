import { createHash } from "node:crypto";
import type { ConfiguredSatellite } from "../configuration/configured-satellite.ts";
import { daemonSetName, satelliteLabel } from "../kinds.ts";
import { directoriesOf } from "../pools/wanted-pool.ts";

/** What a satellite's workload is made of besides the satellite itself. */
export interface WorkloadSettings {
  readonly namespace: string;
  /** With its tag. */
  readonly image: string;
}

const component = "linstor-satellite";

/**
 * The satellite's configuration: how LINSTOR's controller reaches it. Without certificates its own defaults are enough.
 */
export function satelliteConfigMap(satellite: ConfiguredSatellite, { namespace }: WorkloadSettings) {
  // The image makes these stores of the certificates that are mounted, with this password.
  const [stores, password] = ["/etc/linstor/ssl", "linstor"];
  const netcom = [
    "[netcom]",
    'type = "ssl"',
    "port = 3367",
    `server_certificate = "${stores}/keystore.jks"`,
    `keystore_password = "${password}"`,
    `key_password = "${password}"`,
    `trusted_certificates = "${stores}/certificates.jks"`,
    `truststore_password = "${password}"`,
    'ssl_protocol = "TLSv1.2"',
    "",
  ];
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataOf(satellite, namespace),
    data: { "linstor_satellite.toml": satellite.spec?.internalTLS ? netcom.join("\n") : "" },
  };
}

/** Where things are on the Node that a satellite works with, by the volume's name. */
const hostPaths = {
  dev: { path: "/dev", type: "Directory" },
  "lib-modules": { path: "/lib/modules", type: "Directory" },
  "var-lib-drbd": { path: "/var/lib/drbd", type: "DirectoryOrCreate" },
  "var-lib-linstor-d": { path: "/var/lib/linstor.d", type: "DirectoryOrCreate" },
  "var-log-linstor-satellite": { path: "/var/log/linstor-satellite", type: "DirectoryOrCreate" },
  "etc-lvm-archive": { path: "/etc/lvm/archive", type: "DirectoryOrCreate" },
  "etc-lvm-backup": { path: "/etc/lvm/backup", type: "DirectoryOrCreate" },
} as const;
const scratch = { run: "/run", "run-lock": "/run/lock", tmp: "/tmp" } as const;

/** The Secret with the certificate of a satellite, where it has one. */
export const tlsSecretOf = ({ metadata, spec }: ConfiguredSatellite): string =>
  spec?.internalTLS?.secretName || `${metadata.name}-tls`;

/**
 * The least that a LINSTOR satellite needs: its process, in charge of the Node's devices, on that Node and on no other.
 * What else a Node needs (a loader of DRBD's module, its exporter) is what patches are for. It tolerates every taint:
 * where it runs has been decided, and it must live while a Node that is to be left is evacuated.
 */
export function satelliteDaemonSet(
  satellite: ConfiguredSatellite,
  config: { readonly data?: unknown },
  settings: WorkloadSettings,
) {
  const { name, uid } = satellite.metadata;
  const { internalTLS, storagePools = [] } = satellite.spec ?? {};
  const directories = directoriesOf(storagePools);
  const pools = directories.map((path, index) => ({ name: `file-pool-${index}`, path }));
  const labels = { [satelliteLabel]: uid };
  const metadata = metadataOf(satellite, settings.namespace);
  const volumes = [
    { name: "satellite-config", configMap: { name: metadata.name, defaultMode: 0o440 } },
    ...Object.entries(hostPaths).map(([volume, hostPath]) => ({ name: volume, hostPath })),
    ...Object.keys(scratch).map((volume) => ({ name: volume, emptyDir: {} })),
    ...pools.map(({ name, path }) => ({ name, hostPath: { path, type: "DirectoryOrCreate" } })),
    ...(internalTLS
      ? [
          { name: "internal-tls", secret: { secretName: tlsSecretOf(satellite) } },
          { name: "java-internal-tls", emptyDir: {} },
        ]
      : []),
  ];
  const volumeMounts = [
    { name: "satellite-config", mountPath: "/etc/linstor", readOnly: true },
    ...Object.entries(hostPaths).map(([volume, { path }]) => ({
      name: volume,
      mountPath: path,
      ...(volume === "lib-modules" ? { readOnly: true } : {}),
    })),
    ...Object.entries(scratch).map(([volume, mountPath]) => ({ name: volume, mountPath })),
    ...pools.map(({ name, path }) => ({ name, mountPath: path })),
    ...(internalTLS
      ? [
          { name: "internal-tls", mountPath: "/etc/linstor/ssl-pem", readOnly: true },
          { name: "java-internal-tls", mountPath: "/etc/linstor/ssl" },
        ]
      : []),
  ];
  const container = {
    name: component,
    image: settings.image,
    args: ["startSatellite"],
    env: [
      { name: "LB_FORCE_NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
      // Loop devices are made on the Node, which has these directories elsewhere than the container.
      ...(directories.length > 0 ? [{ name: "LOSETUP_CONTAINER_BIND_MOUNTS", value: directories.join(":") }] : []),
    ],
    ports: [{ name: "linstor", containerPort: internalTLS ? 3367 : 3366, protocol: "TCP" }],
    securityContext: { privileged: true, readOnlyRootFilesystem: true },
    volumeMounts,
  };
  const here = { key: "metadata.name", operator: "In", values: [name] };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata,
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels: { ...labels, "app.kubernetes.io/component": component },
          annotations: {
            "kubectl.kubernetes.io/default-container": component,
            // A satellite reads its configuration when it starts.
            "holdfast.dev/satellite-config": hashOf(config.data ?? null),
          },
        },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [here] }] },
            },
          },
          tolerations: [{ operator: "Exists" }],
          containers: [container],
          volumes,
        },
      },
    },
  };
}

function metadataOf({ metadata: { name, uid } }: ConfiguredSatellite, namespace: string) {
  return {
    namespace,
    name: daemonSetName(name),
    labels: { [satelliteLabel]: uid, "app.kubernetes.io/component": component },
  };
}

/** Of any JSON; the same for what is equal in the same order. */
export const hashOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);

/**
 * The image of a satellite: of LINSTOR's own version, because a controller takes no other, unless a tag or digest is
 * given.
 */
export function imageOf(image: string, repository: string | undefined, version: string): string {
  const last = image.slice(image.lastIndexOf("/") + 1);
  const named = repository ? `${repository.replace(/\/$/, "")}/${last}` : image;
  return /[:@]/.test(last) ? named : `${named}:v${version}`;
}
