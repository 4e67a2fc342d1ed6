import { type DestinationStream, pino } from "pino";

/** One line per call: the fields, and a whole sentence. */
export interface Log {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
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
