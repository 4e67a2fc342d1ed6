import { describe } from "vitest";
import { benchOn } from "../worlds/bench.ts";
import { emulatedServer } from "../worlds/emulated-server.ts";
import { apiContract } from "./contract.ts";

describe("the Kubernetes API of the laptop edition", () => {
  const server = emulatedServer();
  apiContract(() => benchOn(server));
});
