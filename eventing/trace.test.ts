import { expect, test } from "vitest";
import { describeHop, type Hop } from "./trace.ts";

const event = { id: "e1", type: "t.update", kind: "Pod", namespace: "shop", name: "a" };
const by = "Trigger shop/release";

test.each<[Hop, string]>([
  [{ at: 0, hop: "emitted", event, by, to: "http://b" }, `${by} emitted t.update Pod shop/a (e1) for http://b`],
  [{ at: 0, hop: "accepted", event: { id: "e1" }, by }, `${by} accepted ? (e1)`],
  [{ at: 0, hop: "dropped", event, by, message: "no" }, `${by} dropped t.update Pod shop/a (e1): no`],
  [
    { at: 0, hop: "accepted", event: { ...event, kind: "Node", namespace: "" }, by },
    `${by} accepted t.update Node a (e1)`,
  ],
  [
    { at: 0, hop: "failed", event, by, to: "http://f", attempt: 2, status: 0, took: 5, retryIn: 400 },
    `${by} sent t.update Pod shop/a (e1) to http://f, which did not answer in 5 ms (try 2, again in 400 ms)`,
  ],
  [
    { at: 0, hop: "delivered", event, by, to: "http://f", attempt: 1, status: 204, took: 5 },
    `${by} sent t.update Pod shop/a (e1) to http://f, which answered 204 in 5 ms (try 1)`,
  ],
  [
    { at: 0, hop: "replied", event, by, reply: { type: "done" } },
    `${by} took done as the reply to t.update Pod shop/a (e1)`,
  ],
  [{ at: 0, hop: "gap", by, message: "410" }, `${by} has a gap: 410`],
  [{ at: 0, hop: "trouble", by, message: "403" }, `${by} has trouble: 403`],
])("%j", (hop, line) => expect(describeHop(hop)).toBe(line));
