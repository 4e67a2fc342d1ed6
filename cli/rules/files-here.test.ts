import { expect, test } from "vitest";
import { withFilesHere } from "./files-here.ts";

const name = "CLUSTER_API_KUBECONFIG";

test.each([
  ["the user's file takes the function's place", { [name]: "/etc/a", B: "b" }, { [name]: "own", B: "own" }, "own"],
  ["without a file of the user's, the function's stays", { [name]: "/etc/a", B: "b" }, { B: "own" }, "/etc/a"],
  ["a function without such a file gets none", { [name]: "", B: "b" }, { [name]: "own" }, ""],
])("%s", (_, environment, own, file) => expect(withFilesHere(environment, own)).toEqual({ [name]: file, B: "b" }));
