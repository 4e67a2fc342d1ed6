import type { SystemTransport } from "../../../shared/system/transport.ts";

/**
 * A transport to a real server by Node's own fetch. Certificates of one's own are given to it by NODE_EXTRA_CA_CERTS.
 */
export function fetchTransport(root: string): SystemTransport {
  return async ({ path, ...request }) => {
    const response = await fetch(root + path, { ...request, redirect: "manual" });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  };
}
