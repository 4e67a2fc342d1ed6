import type { Attributes } from "@opentelemetry/api";
import { expect, test } from "vitest";
import type { SystemResponse } from "../system/transport.ts";
import { observedTransport } from "./observe-calls.ts";
import type { Signals } from "./signals.ts";

const answer: SystemResponse = { status: 503, headers: {}, body: "busy" };

test.each<[string, () => Promise<SystemResponse>, Attributes, Attributes]>([
  ["answers", async () => answer, { "http.response.status_code": 503 }, { "http.response.status_code": 503 }],
  ["cannot be reached", () => Promise.reject(new TypeError("refused")), {}, { "error.type": "TypeError" }],
])("a call to a system that %s is a span without its query, and is measured", async (_, send, onSpan, measured) => {
  const seen: unknown[] = [];
  const span = { setAttributes: (given: Attributes) => seen.push(given), setStatus() {} };
  const signals = {
    spans: {
      within: (
        name: string,
        { attributes }: { attributes: Attributes },
        work: () => Promise<unknown>,
        ended: Ended,
      ) => {
        seen.push(name, attributes);
        return work().then(
          (result) => ended(span, result),
          (error) => ended(span, undefined, error),
        );
      },
    },
    instruments: { call: (_seconds: number, attributes: Attributes) => seen.push(attributes) },
  } as unknown as Signals;
  const transport = observedTransport({ name: "linstor" }, send, signals);
  await transport({ method: "GET", path: "/v1/nodes?token=secret", headers: { authorization: "secret" } });
  expect(seen).toEqual([
    "GET linstor",
    { "peer.service": "linstor", "http.request.method": "GET", "url.path": "/v1/nodes" },
    onSpan,
    { "holdfast.system": "linstor", "holdfast.verb": "GET", ...measured },
  ]);
});

type Ended = (span: unknown, result: unknown, error?: unknown) => void;
