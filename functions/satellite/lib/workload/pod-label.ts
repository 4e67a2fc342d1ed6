/** Label of a satellite's DaemonSet and pods: the uid of the LinstorSatellite that they are of. */
export const satelliteLabel = "piraeus.io/linstor-satellite";

/** The name of a satellite's DaemonSet, as piraeus-operator has it. */
export const daemonSetName = (node: string): string => `linstor-satellite.${node}`;
