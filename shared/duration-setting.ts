import { z } from "zod";
import { durationPattern, readDuration } from "./duration.ts";

/** A setting that is a time, in the words of an example such as `5m`. */
export const durationSetting = (example: string) =>
  z
    .string()
    .refine((text) => readDuration(text) !== undefined, `expected a number and a unit such as ${example}`)
    .meta({ pattern: durationPattern });
