/**
 * The name under which `accept` and `run-job` write down how far a Volume's storage is: `run-job` goes on with what
 * `accept` has written, so that the sweep selects an accepted Volume from its finalizer on.
 */
export const jobProgress = "volume/job";
