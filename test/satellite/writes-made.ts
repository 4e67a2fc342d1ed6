/**
 * The declared writes of satellites that test/satellite/evacuation.test.ts does not make, by the test that makes them.
 * Each of these tests proves its own.
 */
export const writesMade = {
  "declared-writes.test.ts": [
    "satellite-apply-daemonset: annotations * of ConfigMap",
    "satellite-apply-daemonset: fields binaryData of ConfigMap",
    "satellite-apply-daemonset: finalizers piraeus.io/satellite-protection of LinstorSatellite",
    ...["storagePools", "patches", "internalTLS", "ipFamilies", "evacuationStrategy", "clusterRef", "repository"].map(
      (field) => `satellite-configure: fields spec.${field} of LinstorSatellite`,
    ),
  ],
  "declared-writes.test.ts, given up": ["satellite-remove-lost: annotations holdfast.dev/linstor of LinstorSatellite"],
  "outages.test.ts": ["satellite-restore: annotations holdfast.dev/evacuation of LinstorSatellite"],
  "external-controller.test.ts": ["satellite-mark: annotations holdfast.dev/linstor of LinstorSatellite"],
} as const satisfies Record<string, readonly string[]>;
