import { expect, test } from "vitest";
import { kindNamed } from "./kinds.ts";

test.each([
  ["Volume", "Volume"],
  ["volumes", "Volume"],
  ["PVC", "PersistentVolumeClaim"],
  ["ksvc", "Service"],
  ["none", undefined],
  ["constructor", undefined],
  ["__proto__", undefined],
])("the word %s names the kind %s", (word, kind) => expect(kindNamed(word)?.kind).toBe(kind));
