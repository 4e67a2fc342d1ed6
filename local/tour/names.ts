/** All tours, in the order in which they are played. */
export const tourNames = ["pvc-protection", "pvc-retention", "undelete"] as const;

export type TourName = (typeof tourNames)[number];
