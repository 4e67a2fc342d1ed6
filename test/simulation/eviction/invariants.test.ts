import { expect, test } from "vitest";
import type { Truth } from "../invariants/invariant.ts";
import { evacuatesOnce } from "./invariants.ts";

test.each<[string, readonly string[], boolean]>([
  ["has no evacuation", [], false],
  ["has evacuations that failed", ["error", "failed"], false],
  ["is being evacuated", ["failed", "accepted"], true],
  ["was evacuated", ["done"], true],
])("a call to evacuate a server that %s is reported if it would damage the server", (_, statuses, isFound) => {
  const asked = {
    ...{ what: "Nova evacuates server-1.", wanted: "evacuate", server: { name: "server-1" } },
    evacuations: statuses.map((status) => ({ status })),
  };
  const found = evacuatesOnce.checkOutside?.(asked, {} as Truth);
  if (isFound)
    expect(found).toMatch(/^Server server-1 is evacuated again, and its evacuation before is (accepted|done)/);
  else expect(found).toBeUndefined();
});
