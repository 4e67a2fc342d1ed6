import type { LinstorClusterObject, LinstorSatelliteObject } from "./satellite.ts";

/** The ports that piraeus-operator's client takes where an address has none. */
const usualPorts: Readonly<Record<string, string>> = { "http:": "3370", "https:": "3371" };

/**
 * Why a LinstorSatellite is left alone, as a sentence: it is another LINSTOR's than the one at LINSTOR_URL. The
 * functions have certificates and a way out for that one only, and what another LINSTOR says of a node of the same name
 * would be taken for the truth about this one. `undefined` where no other is named.
 */
export function anotherLinstor(
  { spec }: LinstorSatelliteObject,
  cluster: LinstorClusterObject | undefined,
  linstorUrl: string,
): string | undefined {
  const { url } = (cluster ? cluster.spec?.externalController : spec?.clusterRef.externalController) ?? {};
  if (url === undefined || isSame(url, linstorUrl)) return undefined;
  const name = cluster?.metadata.name ?? spec?.clusterRef.name ?? "of the satellite";
  return (
    `The LinstorCluster ${name} has its LINSTOR at ${url} (spec.externalController), and the functions ask the one ` +
    `at ${linstorUrl}: set LINSTOR_URL in the ConfigMap holdfast-satellite to ${url}, with its certificates in the ` +
    "Secret holdfast-linstor. Nothing is done in LINSTOR for its satellites before."
  );
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [addressOf(one), addressOf(other)];
  return left !== undefined && left === right;
}

/** Host and port in one notation; `undefined` for what is no address. */
function addressOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, pathname } = new URL(text);
  const port = /^[a-z]+:\/\/[^/]*:(\d+)(?:[/?#]|$)/i.exec(text)?.[1] ?? usualPorts[protocol];
  return port && `${protocol}//${hostname}:${port}${pathname.replace(/\/+$/, "")}`;
}
