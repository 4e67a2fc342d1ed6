import { afterAll, describe } from "vitest";
import { apiContract } from "../contract/contract.ts";
import { placement } from "../contract/placement.ts";
import { orderOfQuantities } from "../contract/quantities.ts";
import { benchOn } from "../harness/open-namespace.ts";
import { realServer } from "../harness/real-server.ts";
import { compact } from "./compact.ts";
import { ownCluster } from "./own-cluster.ts";

const cluster = ownCluster;

describe.skipIf(!cluster)("the Kubernetes API of a real server", () => {
  if (!cluster) return;
  const { kubeconfig, etcd, hasControllers } = cluster;
  const server = realServer(
    kubeconfig,
    etcd ? { compact: () => compact(etcd), guardsOwnerReferences: true, throwaway: true } : {},
  );
  afterAll(() => server.stop());

  const open = () => benchOn(server);
  apiContract(open);
  // What only a real server, or its controllers, can say.
  orderOfQuantities(open);
  if (hasControllers) placement(open);
});
