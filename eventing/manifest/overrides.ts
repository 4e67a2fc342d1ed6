import { z } from "zod";

/** `ceOverrides`: extensions that a source sets on each of its events, over what is there. */
export const overrides = z.strictObject({
  extensions: z
    .record(z.string().regex(/^[a-zA-Z0-9]+$/, "the name of an extension has letters and digits only"), z.string())
    .transform((all) => Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value])))
    .default({}),
});
