import { describe } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { virtualClock } from "../../local/time/virtual-clock.ts";
import { benchOn } from "../worlds/bench.ts";
import { emulatedServer } from "../worlds/emulated-server.ts";
import { apiContract } from "./contract.ts";

describe("the Kubernetes API of the laptop edition", () => {
  const server = emulatedServer(virtualClock(), seededRandom(1));
  apiContract(() => benchOn(server));
});
