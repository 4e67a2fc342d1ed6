/**
 * The CloudEvent by which Salt's reactor says that a job of a Volume has returned: a hint like any other, which may be
 * lost.
 */
export const jobReturned = "dev.holdfast.salt.job-returned";
