import { expect, test } from "vitest";
import { agreement, approvalWanted, forget, whyUnmanaged } from "./dependent.ts";
import { abandonKey, approvalKey, pauseKey, yaookParent } from "./names.ts";
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

test("what is paused goes on without its annotation, unless Yaook's operator would act on it again", () => {
  const annotations = { [pauseKey]: "" };
  const paused = (labels: Record<string, string>) =>
    whyUnmanaged(aCompute({ metadata: { annotations, labels } }).object);
  const command = "run `kubectl annotate novacomputenode -n yaook node-a";
  expect(paused({})).toContain(`${command} ${pauseKey}-`);
  const ofYaook = paused({ [yaookParent]: "novadeployments" });
  expect(ofYaook).toContain(`${command} --overwrite ${pauseKey}=holdfast`);
  expect(ofYaook).not.toContain(`${pauseKey}-`);
});
