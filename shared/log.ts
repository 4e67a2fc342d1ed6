import { type DestinationStream, pino } from "pino";
import { SettingsError } from "./settings.ts";

/** One line per call: the fields, and a whole sentence. */
export interface Log {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}

const levels = ["debug", "info", "warn", "error"] as const;

/** The lowest level that is printed. Empty and absent mean `info`. @throws SettingsError that names the variable. */
export function readLogLevel(value = ""): (typeof levels)[number] {
  const level = levels.find((known) => known === (value || "info"));
  if (!level) throw new SettingsError(`LOG_LEVEL is ${JSON.stringify(value)}: expected one of ${levels.join(", ")}.`);
  return level;
}

/**
 * JSON lines on standard output, written before the call returns: a function that is killed has said what it did.
 * `level` is the lowest that is printed.
 */
export function createLog(level = "info", destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return destination ? pino(options, destination) : pino(options);
}
