import { expect, test } from "vitest";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { PartlyLooked, partly } from "../../../shared/look-at-each.ts";
import { seeing } from "./mutant.ts";

const failures = [{ object: { kind: Node, name: "node-b" }, error: new Error("It is not served.") }];
const doubled = seeing(
  {
    look: async ({ name }): Promise<number> => {
      if (name === "all") return 1;
      throw name === "some" ? new PartlyLooked(1, failures) : new Error("It is away.");
    },
  },
  (facts) => facts * 2,
);
const look = (name: string) => partly(() => doubled({ kind: Node, name }, {} as never));

test("a mutant keeps its fault where only some of several objects could be looked at", async () => {
  expect(await look("all")).toEqual({ facts: 2, failures: [] });
  expect(await look("some")).toEqual({ facts: 2, failures });
});

test("where nothing could be looked at, neither the rule nor its mutant sees anything", () =>
  expect(look("none")).rejects.toThrow("It is away."));
