/** The rule's name, which also names its progress on sets. */
export const name = "pvc-retention/project";
