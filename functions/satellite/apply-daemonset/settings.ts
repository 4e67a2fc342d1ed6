import { z } from "zod";
import { common } from "../lib/satellite-rule.ts";

/** What satellites are made of. */
export const spawnSettings = common.extend({
  satelliteImage: z
    .string()
    .min(1)
    .default("quay.io/piraeusdatastore/piraeus-server")
    .describe(
      "Image of the satellites. Without a tag or digest, the tag is the LINSTOR controller's version " +
        "(`:v1.33.2`), which accepts no other. `spec.repository` replaces all but the last part of the name.",
    ),
});
