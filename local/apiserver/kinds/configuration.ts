import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { type Cause, forbiddenValue } from "../validation/status-cause.ts";
import { fieldsAt, objectIn, setMissing } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** ConfigMaps. */
export const configMapStrategy: Strategy = { validate: checkImmutable };

/** Secrets: `stringData` is only ever written, and ends up in `data`. */
export const secretStrategy: Strategy = {
  defaults(secret) {
    setMissing(secret, { type: "Opaque" });
    for (const [key, text] of Object.entries(fieldsAt(secret, "stringData"))) {
      objectIn(secret, "data")[key] = Buffer.from(String(text)).toString("base64");
    }
    delete secret.stringData;
  },
  validate: checkImmutable,
};

function checkImmutable(next: KubernetesObject, live?: KubernetesObject): Cause[] {
  if (!live?.immutable) return [];
  const why = "field is immutable when `immutable` is set";
  const causes = next.immutable ? [] : [forbiddenValue("immutable", why)];
  for (const field of ["data", "binaryData"]) {
    if (!isDeepStrictEqual(fieldsAt(next, field), fieldsAt(live, field))) causes.push(forbiddenValue(field, why));
  }
  return causes;
}
