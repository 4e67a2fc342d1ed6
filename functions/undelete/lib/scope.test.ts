import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { keepKey, scopeOf } from "./scope.ts";

const saying = (text?: string) =>
  ({ metadata: { annotations: text === undefined ? {} : { [keepKey]: text } } }) as unknown as KubernetesObject;

describe("scopeOf", () => {
  test.each([
    { what: "nobody", said: [undefined, undefined, undefined], keep: undefined },
    { what: "the class alone", said: [undefined, undefined, "7d"], keep: "7d" },
    { what: "the namespace over the class", said: [undefined, "30m", "7d"], keep: "30m" },
    { what: "the claim over both", said: ["24h", "30m", "7d"], keep: "24h" },
    { what: "none on the claim", said: ["none", "30m", "7d"], keep: undefined },
    { what: "none on the namespace", said: [undefined, "none", "7d"], keep: undefined },
    { what: "what cannot be read, which keeps", said: ["soon", "30m", undefined], keep: "soon" },
    { what: "nothing, which keeps as well", said: ["", undefined, undefined], keep: "" },
  ])("obeys $what", ({ said, keep }) => {
    expect(scopeOf(...said.map(saying))).toBe(keep);
  });
});
