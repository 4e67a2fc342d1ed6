import { describe, expect, test } from "vitest";
import type { SweepStatus } from "../../functions/platform/lib/sweep-status.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { deadLetters } from "./dead-letters.ts";

test("where Holdfast is installed in another namespace, the command that replays an event names it", async () => {
  const client = { get: async () => ({ data: { "1.json": JSON.stringify({ received: 0 }) } }) } as unknown as Client;
  const { findings } = await deadLetters(client, "keeping", "holdfast-dead-letters", 1);
  expect(findings).toMatchObject([{ todo: expect.stringContaining("`holdfast replay 1.json -n keeping`") }]);
});

describe("an event that the sweep has sent again", () => {
  const minutes = (count: number) => count * 60_000;
  const event = (received: number, name = "data") =>
    JSON.stringify({
      received,
      attributes: { kind: "PersistentVolumeClaim", namespace: "shop", name },
      destination: "f.holdfast",
    });
  const key = (id: string) => `20260101T000000-000Z-${id}000.json`;
  const sweep = (resent: readonly string[], at: number, madeUp = {}) =>
    ({ v: 1, uid: "", at: "", because: "", resent, resentAt: new Date(at).toISOString(), madeUp }) as SweepStatus;
  const found = async (data: Record<string, string>, status: SweepStatus) => {
    const client = { get: async () => ({ data }) } as unknown as Client;
    const { findings, deadLettered } = await deadLetters(client, "holdfast", "buffer", minutes(60), status);
    return { findings, taken: deadLettered.events.filter(({ isTaken }) => isTaken).length };
  };
  const first = { [key("aaaaaaaa")]: event(minutes(10)) };

  test("is good when it did not come back", async () =>
    expect(await found(first, sweep(["aaaaaaaa"], minutes(50)))).toEqual({ findings: [], taken: 1 }));

  test.each<[string, Record<string, string>, SweepStatus]>([
    ["it was not sent again", first, sweep([], minutes(50))],
    ["it may still come back", first, sweep(["aaaaaaaa"], minutes(56))],
    ["no row of the sweep wants it", first, sweep(["aaaaaaaa-"], minutes(50))],
    ["it came back", { ...first, [key("bbbbbbbb")]: event(minutes(51)) }, sweep(["aaaaaaaa"], minutes(50))],
    [
      "events of its function were left out, for which no resync has made up",
      { ...first, "left-out.json": JSON.stringify({ "f.holdfast": new Date(minutes(10)).toISOString() }) },
      sweep(["aaaaaaaa"], minutes(50), { "f.holdfast": new Date(minutes(5)).toISOString() }),
    ],
  ])("is bad when %s", async (_, data, status) =>
    expect(await found(data, status)).toMatchObject({ findings: [{}], taken: 0 }),
  );

  test("says nothing of another object's event", async () =>
    expect(
      await found({ ...first, [key("bbbbbbbb")]: event(minutes(51), "other") }, sweep(["aaaaaaaa"], minutes(50))),
    ).toMatchObject({ findings: [{}], taken: 1 }));
});
