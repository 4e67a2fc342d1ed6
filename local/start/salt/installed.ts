import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { withSettings } from "../../cluster/with-settings.ts";

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

/** A Salt that the functions of this run use, how they log in to it, and where storage is made with it. */
export interface SaltAccess {
  /** The root of salt-api. */
  readonly url: string;
  readonly username: string;
  readonly eauth: string;
  readonly password: string;
  /** The authority that certified salt-api, in PEM, where no public one did. */
  readonly authority?: string;
  /** The minion that makes the storage, and the node of its name. */
  readonly minion: string;
  /** Paths of what there is on its node, where that can be seen from here. */
  readonly storage?: () => readonly string[];
}
