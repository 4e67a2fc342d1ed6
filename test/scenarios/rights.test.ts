import { describe, expect, test } from "vitest";
import type { Asked } from "../worlds/asked.ts";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { castings, granted, systems, used } from "./rights.ts";

const all = await castings();

describe("each function, under its own role", () => {
  const asked: Asked[] = [];
  describe.each(all.map((casting) => [casting.system, casting] as const))("%s", (_, { story, setting }) => {
    test(`${story.title}: ${setting.name}`, async () => {
      const world = await emulatedWorld(setting);
      await story.tell(world);
      asked.push(...world.asked);
      expect(world.asked.filter(({ denied }) => denied)).toEqual([]);
    });
  });

  const told = new Set(all.map(({ system }) => system));
  test.each([...told])("of %s is granted no right that no story uses", (system) => {
    const uses = used(asked);
    expect(granted(system).length).toBeGreaterThan(0);
    expect(granted(system).filter((grant) => !uses.includes(grant))).toEqual([]);
  });
  for (const system of systems()) if (!told.has(system)) test.todo(`of ${system}, as soon as it has stories`);
});
