import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { withSettings } from "../../cluster/with-settings.ts";
import type { SaltAccess } from "./account.ts";

/** An object of `knative/` with the address of the Salt of this run in its place; another object as it is. */
export function reachingSalt(object: KubernetesObject, { url, eauth, username }: SaltAccess): KubernetesObject {
  // Who named an http:// URL on the command line has allowed it.
  const allowsHttp = String(url.startsWith("http:"));
  const account = { SALT_URL: url, SALT_EAUTH: eauth, SALT_USERNAME: username, SALT_ALLOW_HTTP: allowsHttp };
  return withSettings(object, "volume", account);
}

/** The Secret by which the functions log in. */
export function secretOf({ password, authority }: SaltAccess): KubernetesObject {
  const encoded = (text: string) => Buffer.from(text).toString("base64");
  const data = { password: encoded(password), ...(authority ? { "ca.crt": encoded(authority) } : {}) };
  const metadata = { name: "holdfast-salt", namespace: "holdfast" };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data } as unknown as KubernetesObject;
}
