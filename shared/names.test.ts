import { expect, test } from "vitest";
import { namespaceName, objectName } from "./names.ts";

const takes = (schema: typeof objectName, name: string) => schema.safeParse(name).success;

test("names of objects have dots, names of namespaces none", () => {
  for (const name of ["a", "0", "holdfast-sweep", "a".repeat(63)]) {
    expect([takes(objectName, name), takes(namespaceName, name)], name).toEqual([true, true]);
  }
  for (const name of ["a.b-c.d", `${"a".repeat(63)}.${"b".repeat(189)}`]) {
    expect([takes(objectName, name), takes(namespaceName, name)], name).toEqual([true, false]);
  }
  for (const name of ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a/b", "a b", "a\nb", "a".repeat(254)]) {
    expect([takes(objectName, name), takes(namespaceName, name)], name).toEqual([false, false]);
  }
});
