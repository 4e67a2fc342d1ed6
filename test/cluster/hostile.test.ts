import { afterAll, describe, inject } from "vitest";
import { hostileWalk } from "../hostile/walk.ts";
import { benchOn } from "../worlds/bench.ts";
import { realServer } from "../worlds/real-server.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)("the credentials of each side on a real server", () => {
  if (!cluster) return;
  const server = realServer(cluster.kubeconfig, { throwaway: true });
  afterAll(() => server.stop());

  hostileWalk(() => benchOn(server));
});
