import { expect, test } from "vitest";
import { agreement, approvalWanted, forget } from "./dependent.ts";
import { abandonKey, approvalKey } from "./names.ts";
import { aCompute } from "./testing/seen.ts";

const withApproval = (value: string) => aCompute({ metadata: { annotations: { [approvalKey]: value } } }).object;

test("an agreement is used up with its eviction, and what holds the next one stays", () => {
  expect(JSON.stringify(forget(withApproval("true"), [approvalKey, abandonKey]))).toContain(`"${approvalKey}":null`);
  expect(forget(withApproval("false"), [approvalKey, abandonKey])).toEqual([]);
});

test("the command that agrees also works where the annotation has another value", () => {
  expect(agreement(aCompute().object)).toBe(`${approvalKey}=true`);
  expect(approvalWanted({ object: withApproval("false") } as never, "it goes")).toContain(
    `--overwrite ${approvalKey}=true`,
  );
});
