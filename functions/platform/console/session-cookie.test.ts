import { expect, test, vi } from "vitest";
import { readKey } from "./session-cookie.ts";

vi.mock("../../../shared/own-namespace.ts", () => ({ ownNamespace: () => "keeping" }));

test("where there is no key, the command that makes one names the namespace of the function", async () => {
  await expect(readKey("/nowhere/key")).rejects.toThrow("create secret generic holdfast-console -n keeping --from-");
});
