import { describe, expect, test } from "vitest";
import { scopeOf } from "./scope.ts";
import { claim, saying } from "./testing/volume.ts";

describe("scopeOf", () => {
  test.each([
    { what: "no annotation", said: [undefined, undefined, undefined], keep: undefined },
    { what: "the annotation of the class alone", said: [undefined, undefined, "7d"], keep: "7d" },
    { what: "the namespace over the class", said: [undefined, "30m", "7d"], keep: "30m" },
    { what: "the claim over both", said: ["24h", "30m", "7d"], keep: "24h" },
    { what: "`none` on the claim", said: ["none", "30m", "7d"], keep: undefined },
    { what: "`none` on the namespace", said: [undefined, "none", "7d"], keep: undefined },
    { what: "an unreadable value, which keeps", said: ["soon", "30m", undefined], keep: "soon" },
    { what: "an empty value, which keeps", said: ["", undefined, undefined], keep: "" },
  ])("obeys $what", ({ said: [ofClaim, ofNamespace, ofClass], keep }) => {
    const [namespace, storageClass] = [saying("shop", ofNamespace), saying("standard", ofClass)];
    expect(scopeOf(claim("claim", "pv", ofClaim), namespace, storageClass).text).toBe(keep);
  });
});
