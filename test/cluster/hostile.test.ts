import { afterAll, describe } from "vitest";
import { benchOn } from "../harness/open-namespace.ts";
import { realServer } from "../harness/real-server.ts";
import { hostileWalk } from "../hostile/walk.ts";
import { ownCluster } from "./own-cluster.ts";

const cluster = ownCluster;

describe.skipIf(!cluster)("the credentials of each side on a real server", () => {
  if (!cluster) return;
  const server = realServer(cluster.kubeconfig, { throwaway: true });
  afterAll(() => server.stop());

  hostileWalk(() => benchOn(server));
});
