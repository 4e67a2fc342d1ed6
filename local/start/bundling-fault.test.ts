import { expect, test } from "vitest";
import { UserError } from "../../shared/command/user-error.ts";
import { bundlingFault } from "./bundling-fault.ts";

test("functions that cannot be bundled say why, also where esbuild shows nothing: on a full disk", () => {
  const errors = [{ text: "ENOSPC: no space left on device, write" }];
  const cause = Object.assign(new Error("Build failed"), { errors });
  expect(bundlingFault(cause)).toEqual(
    new UserError("The functions cannot be bundled: ENOSPC: no space left on device, write"),
  );
  expect(bundlingFault(Object.assign(new Error("Build failed"), { errors: [] }))).toBeInstanceOf(UserError);
});

test("what is no failure of esbuild stays what it is", () => {
  const cause = new Error("Asked to end.");
  expect(bundlingFault(cause)).toBe(cause);
});
