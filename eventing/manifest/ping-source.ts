import { z } from "zod";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { parseSchedule } from "../source/schedule.ts";
import { type Destination, destination } from "./destination.ts";
import { metadata } from "./metadata.ts";
import { overrides } from "./overrides.ts";
import { readWith } from "./unobeyable.ts";

/** What a PingSource asks for. */
export interface PingSourcePlan {
  readonly namespace: string;
  readonly name: string;
  readonly schedule: string;
  readonly timezone: string;
  /** Absent: the events have no data. */
  readonly data?: string | undefined;
  readonly contentType?: string | undefined;
  readonly sink: Destination;
  readonly extensions: Readonly<Record<string, string>>;
}

const spec = z
  .strictObject({
    schedule: z.string().default("* * * * *"),
    timezone: z.string().min(1).default("UTC"),
    contentType: z.string().optional(),
    data: z.string().optional(),
    dataBase64: z.string().optional(),
    sink: destination,
    ceOverrides: overrides.optional(),
  })
  .superRefine(({ schedule, timezone, data, dataBase64, contentType }, context) => {
    const problem = problemOf(() => parseSchedule(schedule, timezone));
    if (problem) context.addIssue({ code: "custom", path: ["schedule"], message: problem });
    if (data && dataBase64) {
      context.addIssue({ code: "custom", path: ["dataBase64"], message: "stands beside data: give one of them" });
    }
    const decoded = dataBase64 === undefined ? data : decode(dataBase64);
    const field = dataBase64 === undefined ? "data" : "dataBase64";
    if (dataBase64 !== undefined && decoded === undefined) {
      context.addIssue({ code: "custom", path: [field], message: "is not the base64 of UTF-8 text" });
    } else if (decoded && contentType === "application/json" && !isJsonObject(decoded)) {
      context.addIssue({ code: "custom", path: [field], message: "is no JSON object, though contentType says JSON" });
    }
  });

/** Reads a PingSource; throws `Unobeyable`. */
export function readPingSource(object: KubernetesObject): PingSourcePlan {
  const schema = z.looseObject({ metadata: metadata([]), spec }).transform(({ metadata, spec }) => ({
    namespace: metadata.namespace,
    name: metadata.name,
    schedule: spec.schedule,
    timezone: spec.timezone,
    data: (spec.dataBase64 ? decode(spec.dataBase64) : spec.data) || undefined,
    contentType: spec.contentType,
    sink: spec.sink,
    extensions: spec.ceOverrides?.extensions ?? {},
  }));
  return readWith(schema, object);
}

function decode(base64: string): string | undefined {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64) return undefined;
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

function isJsonObject(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value);
  } catch {
    return false;
  }
}

function problemOf(attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
