import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { castings, granted, used } from "../scenarios/rights.ts";
import type { Asked } from "../worlds/asked.ts";
import { realServer } from "../worlds/real-server.ts";
import { type RealWorlds, realWorlds } from "../worlds/real-world.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");
const all = (await castings(({ inTree }) => inTree)).filter(({ story }) => story.takes === undefined);
// Another setting is another installation: those of one come together.
const bySetting = [...Map.groupBy(all, ({ setting }) => setting).values()].flat();

describe.skipIf(!cluster)("each function, under its own role on a real API server", () => {
  if (!cluster) return;
  let worlds: RealWorlds;
  const asked: Asked[] = [];
  beforeAll(async () => {
    worlds = await realWorlds(realServer(cluster.kubeconfig), missingControllers(cluster));
  });
  afterAll(() => worlds?.stop());

  test.each(bySetting.map((casting) => [casting.setting.name, casting.system, casting.story.title, casting] as const))(
    "%s, %s: %s",
    async (_, __, ___, { story, setting }) => {
      const world = await worlds.open(setting);
      const before = world.asked.length;
      await story.tell(world);
      const here = world.asked.slice(before);
      asked.push(...here);
      expect(here.filter(({ denied }) => denied)).toEqual([]);
    },
  );

  test.each([...new Set(all.map(({ system }) => system))])("of %s is granted no right that no story uses", (system) => {
    const uses = used(asked);
    expect(granted(system).filter((grant) => !uses.includes(grant))).toEqual([]);
  });
});
