import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../shared/command/user-error.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { withSettings } from "../../cluster/with-settings.ts";
import type { LinstorFlags } from "./flags.ts";

/** An object of `knative/` with the address of the LINSTOR of this run in its place; another object as it is. */
export function reachingLinstor(object: KubernetesObject, { url }: LinstorFlags): KubernetesObject {
  // Who named an http:// URL on the command line has allowed it.
  const allowsHttp = String(url.startsWith("http:"));
  return withSettings(object, "satellite", { LINSTOR_URL: url, LINSTOR_ALLOW_HTTP: allowsHttp });
}

/**
 * The Secret of the certificates that are in the folder; `undefined` without a folder.
 *
 * @throws UserError where there are none.
 */
export function linstorSecret({ folder }: LinstorFlags): KubernetesObject | undefined {
  if (!folder) return undefined;
  const files = ["ca.crt", "tls.crt", "tls.key"].filter((name) => existsSync(join(folder, name)));
  if (files.length === 0) throw new UserError(`${folder} has no ca.crt, tls.crt and tls.key for --linstor-tls.`);
  const data = Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name)).toString("base64")]));
  const metadata = { name: "holdfast-linstor", namespace: "holdfast" };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data } as unknown as KubernetesObject;
}
