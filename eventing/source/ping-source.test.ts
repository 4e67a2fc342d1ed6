import { describe, expect, test } from "vitest";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { readPingSource } from "../manifest/ping-source.ts";
import { seededRandom } from "../random.ts";
import { type Reply, subscribers } from "../testing/subscribers.ts";
import type { Hop } from "../trace.ts";
import { runPingSource } from "./ping-source.ts";
import { parseSchedule } from "./schedule.ts";

const sink = "http://broker-ingress/shop/workloads";

function setUp(spec: Record<string, unknown>, replies: Reply[] = [202]) {
  const clock = virtualClock(Date.parse("2026-01-01T00:00:30Z"));
  const { send, arrivals } = subscribers(clock, { [sink]: replies });
  const hops: Hop[] = [];
  const ended = new AbortController();
  const plan = readPingSource({
    apiVersion: "sources.knative.dev/v1",
    kind: "PingSource",
    metadata: { name: "sweep", namespace: "shop", uid: "u", resourceVersion: "1" },
    spec: { sink: { uri: sink }, ...spec },
  });
  const tools = { clock, random: seededRandom(1), send, trace: (hop: Hop) => hops.push(hop) };
  const stopped = runPingSource(plan, sink, tools, ended.signal);
  return { clock, arrivals, hops, ended, stopped };
}

describe("a PingSource", () => {
  test("fires on its schedule, up to half a second late", async () => {
    const { clock, arrivals } = setUp({ schedule: "* * * * *", data: '{"a":1}', contentType: "application/json" });
    await clock.advance(180_000);
    expect(arrivals).toHaveLength(3);
    arrivals.forEach(({ at }, index) => {
      const late = at - (30_000 + index * 60_000);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(500);
    });
    expect(new Set(arrivals.map(({ at }) => at % 1000)).size).toBeGreaterThan(1);
    expect(arrivals[0]?.request).toEqual({
      headers: {
        "ce-specversion": "1.0",
        "ce-type": "dev.knative.sources.ping",
        "ce-source": "/apis/v1/namespaces/shop/pingsources/sweep",
        "ce-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "ce-time": expect.stringMatching(/^2026-01-01T00:01:00(\.\d+)?Z$/),
        "content-type": "application/json",
        "kn-namespace": "shop",
      },
      body: '{"a":1}',
    });
  });

  test("without data sends no content type", async () => {
    const { clock, arrivals } = setUp({ contentType: "application/json" });
    await clock.advance(60_000);
    expect(arrivals[0]?.request.headers).not.toHaveProperty("content-type");
    expect(arrivals[0]?.request.body).toBe("");
  });

  test("does not wait for a tick to be taken before the next one", async () => {
    const never: Reply = () => new Promise(() => {});
    const { clock, arrivals } = setUp({ schedule: "*/5 * * * * *" }, [never]);
    await clock.advance(20_500);
    expect(arrivals).toHaveLength(4);
  });

  test("drops a tick after six tries", async () => {
    const { clock, arrivals, hops } = setUp({ schedule: "0 0 0 2 1 *" }, [503]);
    await clock.advance(86_400_000 * 2);
    expect(arrivals).toHaveLength(6);
    expect(hops.filter(({ hop }) => hop === "dropped")).toHaveLength(1);
  });

  test("sleeps for a month without firing", async () => {
    const { clock, arrivals } = setUp({ schedule: "0 0 1 * *" });
    await clock.advance(86_400_000 * 32);
    expect(arrivals).toHaveLength(1);
    expect(arrivals[0]?.request.headers["ce-time"]).toContain("2026-02-01T00:00:00");
  });

  test("ends with its signal", async () => {
    const { clock, arrivals, ended, stopped } = setUp({});
    ended.abort(new Error("over"));
    await stopped;
    await clock.advance(600_000);
    expect(arrivals).toEqual([]);
  });
});

describe("schedules", () => {
  const from = Date.parse("2026-03-01T10:20:30Z");
  const next = (text: string, zone = "UTC") => {
    const at = parseSchedule(text, zone).next(from);
    return at === undefined ? undefined : new Date(at).toISOString();
  };
  test.each([
    ["* * * * *", "2026-03-01T10:21:00.000Z"],
    ["*/10 * * * * *", "2026-03-01T10:20:40.000Z"],
    ["5/20 * * * *", "2026-03-01T10:25:00.000Z"],
    ["0 9-17/2 * * MON-FRI", "2026-03-02T09:00:00.000Z"],
    ["0 0 13 * FRI", "2026-03-06T00:00:00.000Z"],
    ["0 0 ? * ?", "2026-03-02T00:00:00.000Z"],
    ["30 4 1,15 JAN,jul *", "2026-07-01T04:30:00.000Z"],
    ["@hourly", "2026-03-01T11:00:00.000Z"],
    ["@midnight", "2026-03-02T00:00:00.000Z"],
    ["0 0 31 2 *", undefined],
  ])("%s is next at %s", (text, at) => expect(next(text)).toBe(at));

  test("know their time zone", () => expect(next("0 12 * * *", "America/New_York")).toBe("2026-03-01T17:00:00.000Z"));

  test.each([
    ["@every 10s", "UTC", "@every is not supported"],
    ["@reboot", "UTC", "1 fields"],
    ["* * *", "UTC", "3 fields"],
    ["0 0 0 1 1 * 2027", "UTC", "7 fields"],
    ["60 * * * *", "UTC", "no minute"],
    ["0 0 * * 7", "UTC", "no day of week"],
    ["0 0 L * *", "UTC", "no day of month"],
    ["0 0 * * 5#2", "UTC", "no day of week"],
    ["10-5 * * * *", "UTC", "ends before it begins"],
    ["*/0 * * * *", "UTC", "no step"],
    ["CRON_TZ=UTC * * * * *", "UTC", "spec.timezone"],
    ["* * * * *", "Middle/Earth", "no time zone"],
  ])("%s in %s is refused", (text, zone, message) => expect(() => parseSchedule(text, zone)).toThrow(message));
});
