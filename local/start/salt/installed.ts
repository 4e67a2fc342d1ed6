import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { withSettings } from "../../cluster/with-settings.ts";
import type { SaltAccess } from "./stand-in.ts";

/** An object of `knative/` with the address of the Salt of this run in its place; another object as it is. */
export function reachingSalt(object: KubernetesObject, { url, eauth, username }: SaltAccess): KubernetesObject {
  const account = { SALT_URL: url, SALT_EAUTH: eauth, SALT_USERNAME: username, SALT_ALLOW_HTTP: "true" };
  return withSettings(object, "volume", account);
}

/** The Secret by which the functions log in. */
export function secretOf({ password }: SaltAccess): KubernetesObject {
  const data = { password: Buffer.from(password).toString("base64") };
  const metadata = { name: "holdfast-salt", namespace: "holdfast" };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data } as unknown as KubernetesObject;
}
