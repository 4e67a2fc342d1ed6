import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JobReturn, outcomeOf } from "./outcome.ts";

const failed = (returned: unknown, retcode = 1): JobReturn => ({ return: returned, retcode, success: false });
const succeeded = (returned: unknown): JobReturn => ({ return: returned, retcode: 0, success: true });

/** A state as state.sls returns it. */
const state = (id: string, place: number, result: unknown, comment: unknown, changes: object = {}) => ({
  [`metalk8s_volumes_|-${id}_|-${id}_|-prepared`]: {
    __id__: id,
    __run_num__: place,
    result,
    comment,
    changes,
    name: id,
  },
});

const conflict =
  'The function "state.sls" is running as PID 19607 and was started at 2026, Nov 21 06:21:38.556699 ' +
  "with jid 20261121062138556699";

describe("as they were observed", () => {
  test.each<[string, unknown, number, string]>([
    [
      "an SLS that is absent",
      ["No matching sls found for 'metalk8s.volumes.absent' in env 'base'"],
      1,
      "No matching sls found for 'metalk8s.volumes.absent' in env 'base'",
    ],
    [
      "an environment that is absent",
      [
        "No matching salt environment for environment 'metalk8s-9' found",
        "No matching sls found for 'x' in env 'metalk8s-9'",
      ],
      1,
      "No matching salt environment for environment 'metalk8s-9' found " +
        "No matching sls found for 'x' in env 'metalk8s-9'",
    ],
    ["a function that raised", "ERROR: volume bad not found in pillar", 1, "ERROR: volume bad not found in pillar"],
    ["a function that says it failed", { success: false, result: "device `x` not found" }, 1, "device `x` not found"],
    ["nothing but a code", null, 5, "It failed with code 5."],
    ["an empty text", " \n", 254, "It failed with code 254."],
    ["an empty list", [], 1, "It failed with code 1."],
  ])("%s", (_, returned, retcode, because) => {
    expect(outcomeOf(failed(returned, retcode))).toEqual({ end: "failure", because });
  });

  test("a conflict, of whatever run of states it is with", () => {
    expect(outcomeOf(failed([conflict]))).toEqual({ end: "conflict", because: conflict });
    const apply = conflict.replace("state.sls", "state.apply");
    expect(outcomeOf(failed([apply, conflict]))).toEqual({ end: "conflict", because: `${apply} ${conflict}` });
  });

  test.each([
    ["a conflict among other lines", [conflict, "No matching sls found"]],
    ["a text that only contains one", [`It says: ${conflict}`]],
    ["one that is not in a list", conflict],
    ["another module's", [conflict.replace("state.sls", "test.sleep")]],
  ])("%s is a failure", (_, returned) => {
    expect(outcomeOf(failed(returned))).toMatchObject({ end: "failure" });
  });

  test("the text of a conflict with code 0 is a value like any other", () => {
    expect(outcomeOf(succeeded([conflict]))).toMatchObject({ end: "success" });
  });
});

describe("states", () => {
  test("all of them true: success, in the order in which they ran", () => {
    const value = { ...state("second", 1, true, "Prepared."), ...state("first", 0, true, "There.", { a: 1 }) };
    expect(outcomeOf(succeeded(value))).toEqual({
      end: "success",
      value,
      states: [
        { id: "first", comment: "There.", changes: { a: 1 } },
        { id: "second", comment: "Prepared.", changes: {} },
      ],
    });
  });

  test("the first that failed by itself is the cause, wherever it stands in the map", () => {
    const returned = {
      ...state("c", 2, false, "Too late."),
      ...state("a", 0, false, "One or more requisite failed: metalk8s.volumes.b"),
      ...state("b", 1, false, "unsupported filesystem: btrfs"),
      ...state("z", 3, true, "Done."),
    };
    expect(outcomeOf(failed(returned, 2))).toEqual({ end: "failure", because: "unsupported filesystem: btrfs" });
  });

  test("where all are about requisites, the first of them", () => {
    const returned = state("a", 0, false, "One or more requisite failed: x.y");
    expect(outcomeOf(failed(returned, 2))).toEqual({ end: "failure", because: "One or more requisite failed: x.y" });
  });

  test("a comment may be a list, or not be there", () => {
    expect(outcomeOf(failed(state("a", 0, false, ["One.", "Two."]), 2))).toMatchObject({ because: "One. Two." });
    expect(outcomeOf(failed(state("a", 0, false, ""), 2))).toMatchObject({
      because: "State a failed without a comment.",
    });
  });

  test.each([null, false, undefined, "true", 1])(
    "a state whose result is %o is not done, though the code is 0",
    (result) => {
      const returned = { ...state("a", 0, true, "Done."), ...state("b", 1, result, "Not done.") };
      expect(outcomeOf(succeeded(returned))).toEqual({ end: "failure", because: expect.stringContaining("Not done.") });
    },
  );

  test("a code other than 0 is a failure, though every state is true", () => {
    expect(outcomeOf(failed(state("a", 0, true, "Done."), 2))).toMatchObject({ end: "failure" });
  });
});

test("a rendering error comes with its template, and is cut", () => {
  const outcome = outcomeOf(failed([`Rendering SLS 'base:x' failed: ${"line\n".repeat(1000)}`]));
  expect(outcome).toMatchObject({ end: "failure", because: expect.stringMatching(/^Rendering SLS.*…$/s) });
  expect(outcome.end === "failure" && outcome.because.length).toBe(1000);
});

test("whatever is returned, it is success only with code 0, and a failure says why", () => {
  fc.assert(
    fc.property(fc.anything(), fc.integer(), fc.boolean(), (returned, retcode, success) => {
      const outcome = outcomeOf({ return: JSON.parse(JSON.stringify(returned) ?? "null"), retcode, success });
      if (outcome.end === "success") expect([retcode, success]).toEqual([0, true]);
      else expect(outcome.because.length).toBeGreaterThan(0);
    }),
  );
});
