import { describe } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { benchOn } from "../harness/open-namespace.ts";
import { virtualServer } from "../harness/virtual-server.ts";
import { apiContract } from "./contract.ts";
import { forgedWritesAreTaken } from "./forged-writes.ts";

describe("the Kubernetes API of the laptop edition", () => {
  const server = virtualServer(virtualClock(), seededRandom(1));
  apiContract(() => benchOn(server));
  forgedWritesAreTaken(() => benchOn(server));
});
