import { fieldsAt, objectIn, setMissing } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** Secrets: `stringData` is only ever written, and ends up in `data`. */
export const secretStrategy: Strategy = {
  defaults(secret) {
    setMissing(secret, { type: "Opaque" });
    for (const [key, text] of Object.entries(fieldsAt(secret, "stringData"))) {
      objectIn(secret, "data")[key] = Buffer.from(String(text)).toString("base64");
    }
    delete secret.stringData;
  },
};
