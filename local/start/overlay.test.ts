import { expect, test } from "vitest";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { overlay } from "./overlay.ts";

const server = (status: number): Transport => {
  return async () => ({ status, headers: {}, body: (async function* () {})() });
};

test.each([
  ["/apis/serving.knative.dev/v1/services?limit=1", 1],
  ["/apis/serving.knative.dev/v1", 1],
  ["/apis/serving.knative.dev.example.com/v1/services", 2],
  ["/apis/apps/v1/deployments", 2],
  ["/api/v1/services", 2],
  ["/apis", 2],
])("%s is answered by server %i", async (path, expected) => {
  const transport = overlay(["serving.knative.dev"], server(1), server(2));
  expect((await transport({ method: "GET", path, headers: {} })).status).toBe(expected);
});
