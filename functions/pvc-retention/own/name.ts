/** The rule's name, which also names its progress on claims. */
export const name = "pvc-retention/own";
