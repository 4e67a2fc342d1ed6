/** The rule's name, which also names its progress on sets and claims. */
export const name = "pvc-retention/condemn";
