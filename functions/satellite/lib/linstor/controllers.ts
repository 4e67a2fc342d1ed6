import * as z from "zod";
import { SystemError } from "../../../../shared/system/system-error.ts";
import type { Linstor } from "./client.ts";

/**
 * The LINSTORs that satellites belong to. There is no way to ask or call one without saying whose it is: what one
 * LINSTOR says of a node must never be taken for the truth about the node of the same name in another.
 */
export interface LinstorControllers {
  /**
   * The LINSTOR at `url`, which is `spec.externalController.url` of a LinstorCluster; `undefined` is the one at
   * LINSTOR_URL. Opens nothing.
   *
   * @throws SystemError `refused` where that is no address, or one that may not be asked.
   */
  at(url: string | undefined): Linstor;
}

/**
 * @param own the client of the LINSTOR at LINSTOR_URL
 * @param clientOf makes that of another root, once for each
 * @param isAllowed whether a root may be asked that an object names
 */
export function linstorControllers(
  own: Linstor,
  clientOf: (root: string) => Linstor,
  isAllowed: (root: string) => boolean,
): LinstorControllers {
  const others = new Map<string, Linstor>();
  return {
    at(url) {
      if (url === undefined) return own;
      const root = externalRoot(url);
      if (!root)
        throw new SystemError("LINSTOR", "refused", "spec.externalController.url of its LinstorCluster is no address.");
      if (root === own.url) return own;
      if (!isAllowed(root))
        throw new SystemError("LINSTOR", "refused", `LINSTOR_HOSTS does not name the host of ${root}.`);
      const client = others.get(root) ?? clientOf(root);
      others.set(root, client);
      return client;
    },
  };
}

/** Where LINSTOR may be: for the client, and for rules that say of an object why its LINSTOR is not asked. */
export const linstorAddresses = z.object({
  linstorUrl: z
    .url({ protocol: /^https?$/ })
    .default("http://linstor-controller.piraeus-datastore.svc:3370")
    .describe(
      "Root of the LINSTOR controller's REST API: port 3370, or 3371 with https and a client certificate. " +
        "Satellites whose LinstorCluster names another one in spec.externalController are looked for there.",
    ),
  linstorHosts: z
    .string()
    .default("")
    .describe(
      "Hosts that spec.externalController of a LinstorCluster may name, separated by commas and without ports. The " +
        "host of LINSTOR_URL is always allowed; if LINSTOR_URL uses https, over https only. Functions ask no other " +
        "host, and show the client certificate to none.",
    ),
});
export type LinstorAddresses = z.output<typeof linstorAddresses>;

/** Whether an administrator has named the host of this LINSTOR: that of LINSTOR_URL without TLS only if it has none. */
export function mayBeAsked(url: string, { linstorUrl, linstorHosts }: LinstorAddresses): boolean {
  const [host, own] = [hostOf(url), new URL(linstorUrl)];
  if (host === own.hostname && (own.protocol === "http:" || url.startsWith("https:"))) return true;
  return isNamed(host, linstorHosts);
}

/**
 * Whether others could read and change what is sent to this address, and no administrator has allowed that: http to a
 * host that LINSTOR_HOSTS does not name, and LINSTOR_ALLOW_HTTP neither. What stays on the machine is not exposed.
 */
export function isExposed(url: string, hosts: string, allowed: "false" | "in-cluster" | "true"): boolean {
  const host = hostOf(url) ?? "";
  const isHere = /^localhost$|^127\.[\d.]+$|^\[::1\]$/.test(host);
  const isService = allowed === "in-cluster" && /\.svc(\.cluster\.local\.?)?$/.test(host);
  return url.startsWith("http:") && allowed !== "true" && !isHere && !isService && !isNamed(host, hosts);
}

const isNamed = (host: string | undefined, hosts: string): boolean =>
  host !== undefined && hosts.split(",").some((one) => hostOf(`http://${one.trim()}`) === host);

/** In one notation: lower case, and IPv6 as URLs have it. */
export const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);

/** The ports that piraeus-operator's client takes where the address of an external controller has none. */
const usualPorts: Readonly<Record<string, string>> = { "http:": "3370", "https:": "3371" };
/** Those of HTTP, which hold for LINSTOR_URL as for every setting that is a URL. */
const httpPorts: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/**
 * The root of the LINSTOR that `spec.externalController.url` of a LinstorCluster names, in one notation: protocol, host
 * in lower case, port and path, without a slash at its end. `undefined` for what is no http or https URL of one
 * controller; also where it holds a password or a query, which would be shown in conditions or be lost.
 */
export function externalRoot(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isPlain = !username && !password && !search && !hash;
  return usualPorts[protocol] && isPlain && isHost(hostname) ? rootIn(text, usualPorts) : undefined;
}

/** LINSTOR_URL, which is an http or https URL, in the same notation, so that both can be compared. */
export const settingRoot = (text: string): string => rootIn(text, httpPorts);

function rootIn(text: string, ports: Readonly<Record<string, string>>): string {
  const { protocol, hostname, pathname } = new URL(text);
  // A URL leaves out the port that is HTTP's own, which is not LINSTOR's.
  const port = /^\s*[a-z]+:\/\/(?:[^/@]*@)?(?:\[[^/]*\]|[^/:]*):(\d+)/i.exec(text)?.[1] ?? ports[protocol];
  return `${protocol}//${hostname}:${Number(port)}${pathname.replace(/\/+$/, "")}`;
}

/** LINSTOR's own clients take lists of controllers, which URLs allow as a host. */
const isHost = (hostname: string) => /^[\w.-]+$|^\[[\da-f:.]+\]$/.test(hostname);
