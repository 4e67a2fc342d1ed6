import { afterAll, describe, inject } from "vitest";
import { benchOn } from "../harness/open-namespace.ts";
import { realServer } from "../harness/real-server.ts";
import { hostileWalk } from "../hostile/walk.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)("the credentials of each side on a real server", () => {
  if (!cluster) return;
  const server = realServer(cluster.kubeconfig, { throwaway: true });
  afterAll(() => server.stop());

  hostileWalk(() => benchOn(server));
});
