import { serveSystem } from "../system-server/serve-system.ts";
import type { OpenStackStandIn } from "./openstack.ts";

const roots: Readonly<Record<string, RegExp>> = {
  keystone: /^\/v3/,
  nova: /^\/v2\.1/,
  neutron: /^\/v2\.0/,
  ironic: /^/,
};

/** A stand-in's APIs on one free port of this machine, each below its name. Resolves with Keystone's address. */
export async function serveOpenStack(
  { transportTo, addresses }: OpenStackStandIn,
  signal: AbortSignal,
): Promise<{ readonly authUrl: string }> {
  const server = await serveSystem(async (request) => {
    const [, name = "", path = ""] = /^\/(\w+)(\/.*)$/.exec(request.path) ?? [];
    const version = roots[name]?.exec(path)?.[0] ?? "";
    const answer = await transportTo(`${addresses[name]}${version}`)({ ...request, path: path.slice(version.length) });
    // The catalog names the stand-in's own addresses.
    const body = Object.entries(addresses).reduce(
      (all, [name, at]) => all.replaceAll(at, `${server.url}/${name}`),
      answer.body,
    );
    return { ...answer, body };
  });
  signal.addEventListener("abort", () => void server.close());
  return { authUrl: `${server.url}/keystone/v3` };
}
