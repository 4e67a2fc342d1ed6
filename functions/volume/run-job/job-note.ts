import type { Step } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { type Progress, readProgress } from "../../../shared/progress.ts";
import { readJobHandle, writeJobHandle } from "../lib/job-handle.ts";
import { jobProgress } from "../lib/job-progress.ts";
import { timeOf } from "../lib/salt/jid.ts";
import type { VolumeObject } from "../lib/volume.ts";
import type { Job } from "./next-job-action.ts";

/** The step at which the id in hand has failed to take the storage back, and another one follows. */
export const notReclaimed = "not-reclaimed";

/** A job that is to be begun. */
export const newJob: Job = { attempt: 1, posted: 0, reposted: false };

/**
 * The job that the Volume has in hand, by its status and by what is written down about this very id. Where nothing is
 * written down, the id counts as posted when it was chosen, and as the first attempt: only the count of attempts is
 * lost.
 */
export function readJob(volume: VolumeObject): Job {
  const handle = readJobHandle(volume.status?.job);
  if (!handle?.jid) return newJob;
  const { jid } = handle;
  const note = readProgress(volume, jobProgress);
  if (!note || !isAbout(volume, note)) {
    // The process that noted the next attempt may have died before it wrote the id into the status.
    const isAhead = note !== undefined && String(note.job) > writeJobHandle(handle);
    const attempt = isAhead ? Math.max(1, (note.attempt ?? 1) - 1) : 1;
    return { jid, attempt, posted: timeOf(jid), reposted: false };
  }
  const { attempt = 1, posted, reposted, step, next } = note;
  return {
    jid,
    attempt,
    posted: typeof posted === "number" ? posted : timeOf(jid),
    reposted: reposted === true,
    ...(step === notReclaimed ? { resumes: Date.parse(next ?? "") || 0 } : {}),
  };
}

/** Whether a note is about the job that the Volume has in hand now, or about its having none. */
export const isAbout = ({ status }: VolumeObject, note: Progress): boolean => note.job === (status?.job ?? "");

/** A step with what is known of the job; `handle` is that in the status after the write. */
export function noteOf(
  volume: VolumeObject,
  name: string,
  { attempt, posted, reposted }: Job,
  handle: string = volume.status?.job ?? "",
): Step {
  const going = isBeingDeleted(volume) ? { going: true } : {};
  return { name, attempt, details: { job: handle, posted, ...(reposted ? { reposted } : {}), ...going } };
}
