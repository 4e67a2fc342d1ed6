/**
 * On a set, `true`: what no event of the set shows may end what its claims follow, so that each sweep has them looked
 * at. A set that owns no claim without a pod by `set-owner` does not have it, and costs no look.
 */
export const checkLabel = "holdfast.dev/check-claims";
