import type { SystemRequest, SystemResponse, SystemTransport } from "../../shared/system/transport.ts";
import { json } from "../system-server/json.ts";
import { type Account, answerBaremetal, answerCompute } from "./api.ts";
import { type CloudOptions, createCloud } from "./cloud.ts";
import { createNetwork } from "./network.ts";

export interface OpenStackOptions extends CloudOptions {
  /** The one password of `admin` and `demo`, who is a plain member. */
  readonly password: string;
}

/** A cloud with Keystone, Nova, Neutron and Ironic on a clock of its own. */
export type OpenStackStandIn = ReturnType<typeof createOpenStack>;

const addresses = {
  keystone: "https://keystone.stand-in:5000",
  nova: "https://nova.stand-in:8774",
  neutron: "https://neutron.stand-in:9696",
  ironic: "https://ironic.stand-in:6385",
};
const keystone = `${addresses.keystone}/v3`;
const nova = `${addresses.nova}/v2.1`;
const { neutron, ironic } = addresses;
/** Milliseconds that an answer takes, and a login with it, which hashes a password. */
const latency = 50;
const hashing = 700;
/** Milliseconds that a token is good for. */
const tokenLife = 3_600_000;

/** Starts one, with everything up. */
export function createOpenStack(options: OpenStackOptions) {
  const { clock, random, password } = options;
  const cloud = createCloud(options);
  const network = createNetwork(options);
  const tokens = new Map<string, Account & { readonly expires: number }>();
  let isUp = true;
  let isIronicUp = true;
  const hasIronic = (root: string) => root !== ironic || isIronicUp;

  async function logIn({ path, body = "{}" }: SystemRequest): Promise<SystemResponse> {
    if (path !== "/auth/tokens") return json({ error: { code: 404, message: "Not found.", title: "Not Found" } }, 404);
    const { identity } = JSON.parse(body).auth;
    const { user } = identity.password ?? {};
    const credential = identity.application_credential;
    await clock.sleep(hashing);
    const isKnown = ["admin", "demo"].includes(user?.name) && user.password === password;
    if (!isKnown && !(credential?.id === "holdfast" && credential.secret === password)) return unauthorized();
    const name = user?.name ?? "admin";
    const token = random.uuid();
    const expires = clock.now() + tokenLife;
    tokens.set(token, { project: name, isAdmin: name === "admin", expires });
    const endpoints = (url: string) =>
      ["public", "internal", "admin"].map((each) => ({
        interface: each,
        region_id: "RegionOne",
        region: "RegionOne",
        url,
      }));
    const catalog = [
      { type: "identity", name: "keystone", endpoints: endpoints(keystone) },
      { type: "compute", name: "nova", endpoints: endpoints(nova) },
      { type: "network", name: "neutron", endpoints: endpoints(neutron) },
      { type: "baremetal", name: "ironic", endpoints: endpoints(ironic) },
    ];
    const answer = json(
      {
        token: { issued_at: new Date(clock.now()).toISOString(), expires_at: new Date(expires).toISOString(), catalog },
      },
      201,
    );
    return { ...answer, headers: { ...answer.headers, "x-subject-token": token } };
  }

  async function service(root: string, request: SystemRequest): Promise<SystemResponse> {
    const account = tokens.get(request.headers["x-auth-token"] ?? "");
    if (!account || account.expires <= clock.now()) return unauthorized();
    if (root === ironic) return answerBaremetal(cloud, account, request);
    return root === nova ? answerCompute(cloud, account, request) : network.answer(account, request);
  }

  return {
    /** Keystone's address, for OS_AUTH_URL. */
    authUrl: keystone,
    /** Where each API is, without a version, by its project's name: `keystone`, `nova`, `neutron`, `ironic`. */
    addresses: addresses as Readonly<Record<string, string>>,
    cloud,
    network,
    /** What answers at a root of the cloud. */
    transportTo:
      (root: string): SystemTransport =>
      async (request) => {
        request.signal?.throwIfAborted();
        await clock.sleep(latency, request.signal);
        if (!isUp || !hasIronic(root) || ![keystone, nova, `${neutron}/v2.0`, ironic].includes(root))
          throw new Error("connect ECONNREFUSED");
        return root === keystone ? logIn(request) : service(root, request);
      },
    /** Stops or starts Keystone and the APIs, or Ironic's alone: nothing is answered meanwhile. */
    stop: (what: "all" | "ironic" = "all") => {
      if (what === "all") isUp = false;
      else isIronicUp = false;
    },
    start: () => {
      isUp = true;
      isIronicUp = true;
    },
    /** Lets every token end at once. */
    expireTokens: () => tokens.clear(),
  };
}

const unauthorized = () => {
  const error = { code: 401, message: "The request you have made requires authentication.", title: "Unauthorized" };
  return json({ error }, 401);
};
