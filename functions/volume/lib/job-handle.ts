/** What a Salt job is to do for a Volume, by the names that MetalK8s writes into `status.job`. */
export const jobSteps = ["PrepareVolume", "UnprepareVolume"] as const;
export type JobStep = (typeof jobSteps)[number];

/** The job in hand: still to be followed by its id, or done. */
export interface JobHandle {
  readonly step: JobStep;
  /** Absent when the job is done. */
  readonly jid?: string;
}

/**
 * Reads `status.job`: `<step>/<jid>`, or `<step>/DONE`; MetalK8s' older form has a third part, which is ignored.
 * `undefined` for none and for all other texts, among them MetalK8s' `GetDeviceInfo`: such a job is begun again, which
 * the states on the node bear, and which returns size and path.
 */
export function readJobHandle(job = ""): JobHandle | undefined {
  const [name, jid] = job.split("/");
  const step = jobSteps.find((known) => known === name);
  if (!step || !jid) return undefined;
  if (jid === "DONE") return { step };
  return /^\d{20}$/.test(jid) ? { step, jid } : undefined;
}

/** `status.job` of a handle. */
export const writeJobHandle = ({ step, jid = "DONE" }: JobHandle): string => `${step}/${jid}`;
