import { describe, expect, test } from "vitest";
import { backendOnNewPlane } from "../cluster/open-backend.ts";
import { ownCluster } from "../cluster/own-cluster.ts";
import { namedFaults } from "./faults/named.ts";
import { listOf } from "./report/report.ts";
import { playAndJudge } from "./run.ts";
import { drawSequence } from "./sequence/draw.ts";
import type { Operation } from "./sequence/operation.ts";
import { openReal, type RealOptions } from "./worlds/real.ts";

const assets = ownCluster?.assets;
/** How many sequences there are for each world, and where they begin. */
const many = 16;
const withUndelete = 4;
const first = Number(process.env.SEED ?? 1);

describe.skipIf(!assets)("beside plain Kubernetes, on a real control plane", { timeout: 600_000 }, () => {
  if (!assets) return;
  const worlds = backendOnNewPlane(assets);

  type WhenOver = Parameters<typeof openReal>[2];
  async function holds(options: RealOptions, sequence: readonly Operation[], whenOver: WhenOver): Promise<void> {
    const world = await openReal(worlds, options, whenOver);
    const { failures, history } = await playAndJudge(world, sequence);
    expect(failures, [...listOf(sequence), "", ...history].join("\n")).toEqual([]);
  }

  const sequences = (admissionPolicy: boolean) => {
    const seeds = Array.from({ length: many }, (_, index) => first + index);
    test.concurrent.for(seeds)("no claim is lost in sequence %i", (seed, { onTestFinished }) =>
      holds({ admissionPolicy, functions: "repository" }, drawSequence(seed), onTestFinished),
    );
  };

  describe("without the admission policy", () => {
    const seen = namedFaults.filter(({ real }) => real);
    test.concurrent.for(seen)("$name", ({ sequence, stall }, { onTestFinished }) =>
      holds({ admissionPolicy: false, functions: "repository", ...(stall ? { stall } : {}) }, sequence, onTestFinished),
    );
    sequences(false);
  });

  describe("with the admission policy", () => {
    sequences(true);
  });

  describe("with undelete", () => {
    const seeds = Array.from({ length: withUndelete }, (_, index) => first + many + index);
    test.concurrent.for(seeds)("no claim is lost in sequence %i, and no volume", (seed, { onTestFinished }) =>
      holds(
        { admissionPolicy: false, functions: "repository", keepsVolumes: true },
        drawSequence(seed),
        onTestFinished,
      ),
    );
  });
});
