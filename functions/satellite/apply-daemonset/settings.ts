import { z } from "zod";
import { common } from "../lib/satellite-rule.ts";

/** What satellites are made of. */
export const spawnSettings = common.extend({
  satelliteImage: z
    .string()
    .min(1)
    .default("quay.io/piraeusdatastore/piraeus-server")
    .describe(
      "Image of the satellites. Without a tag or digest it is of the LINSTOR controller's version " +
        "(`:v1.33.2`), which takes no other; `spec.repository` replaces what stands before its last part.",
    ),
});
