import fc from "fast-check";
import { expect, test } from "vitest";
import { anyJob, jid } from "../testing/objects.ts";
import { jobSteps, readJobHandle, writeJobHandle } from "./job-handle.ts";

test.each<[string | undefined, ReturnType<typeof readJobHandle>]>([
  [undefined, undefined],
  ["", undefined],
  ["PrepareVolume", undefined],
  ["PrepareVolume/", undefined],
  [`PrepareVolume/${jid}`, { step: "PrepareVolume", jid }],
  [`PrepareVolume/${jid}/10Gi`, { step: "PrepareVolume", jid }],
  ["GetDeviceInfo/DONE", undefined],
  ["UnprepareVolume/DONE/x", { step: "UnprepareVolume" }],
  [`Prepare/${jid}`, undefined],
  ["PrepareVolume/done", undefined],
  ["PrepareVolume/../../x", undefined],
  [`PrepareVolume/${jid}_77`, undefined],
  ["toString/DONE", undefined],
])("%j is %j", (job, expected) => expect(readJobHandle(job)).toEqual(expected));

test("what is written is read, and what is read could have been written", () => {
  fc.assert(
    fc.property(fc.constantFrom(...jobSteps), fc.option(fc.constant(jid), { nil: undefined }), (step, jid) => {
      const handle = { step, ...(jid ? { jid } : {}) };
      expect(readJobHandle(writeJobHandle(handle))).toEqual(handle);
    }),
  );
  fc.assert(
    fc.property(anyJob, (job) => {
      const handle = readJobHandle(job);
      if (handle) expect(job?.startsWith(writeJobHandle(handle))).toBe(true);
    }),
  );
});
