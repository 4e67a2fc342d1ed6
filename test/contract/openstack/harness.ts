import { dhcp, l3, type Neutron } from "../../../functions/eviction/lib/openstack/neutron.ts";
import type { Nova, Server } from "../../../functions/eviction/lib/openstack/nova.ts";
import { openstack } from "../../../functions/eviction/lib/openstack/system.ts";
import { readSettings } from "../../../shared/settings.ts";
import type { SystemRequest } from "../../../shared/system/transport.ts";
import type { OpenStackUnderTest } from "./openstack-under-test.ts";

/** A status, and what OpenStack says with it. */
export interface Said {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are of every shape.
  readonly body: any;
  /** The message of a refusal. */
  readonly said: string | undefined;
}

type Who = "admin" | "demo";

/** What the cases need of an OpenStack under test. */
export interface Harness {
  readonly under: OpenStackUnderTest;
  readonly hosts: readonly [string, string];
  /** The product's own client. */
  nova(who?: Who): Nova;
  neutron(who?: Who): Neutron;
  /** One request to Nova without the client, at 2.93 unless another version is named. */
  send(
    method: SystemRequest["method"],
    path: string,
    body?: object,
    options?: { who?: Who; version?: string; token?: string; service?: "compute" | "network" },
  ): Promise<Said>;
  /** Makes a router or a network, which is deleted with the case; its id. */
  make(what: "router" | "network"): Promise<string>;
  /** Boots a server on a host, and waits until it runs there. */
  boot(host: string, more?: object): Promise<string>;
  act(server: string, action: object): Promise<Said>;
  server(id: string): Promise<Server>;
  pass(seconds: number): Promise<void>;
  /** Asks until there is an answer; fails after so many seconds. */
  until<T>(what: string, ask: () => Promise<T | undefined | false>, within?: number): Promise<T>;
  /** Waits until a server has a status and nothing is under way with it. */
  reaches(id: string, status: string, within?: number): Promise<Server>;
  /** Deletes the servers of the case, enables and starts the hosts. */
  cleanUp(): Promise<void>;
}

export function harnessFor(under: OpenStackUnderTest): Harness {
  const { transportTo, clock, settled, hosts, password } = under;
  const made: string[] = [];
  const things: string[] = [];
  const logins = new Map<Who, { token: string; compute: string; network: string }>();

  async function logIn(who: Who) {
    const user = { name: who, domain: { name: "Default" }, password };
    const project = { name: who, domain: { name: "Default" } };
    const auth = { identity: { methods: ["password"], password: { user } }, scope: { project } };
    const response = await settled(
      transportTo(under.authUrl)({
        method: "POST",
        path: "/auth/tokens",
        headers: json,
        body: JSON.stringify({ auth }),
      }),
    );
    const { catalog } = JSON.parse(response.body).token;
    const rootOf = (service: string): string => {
      const { endpoints } = catalog.find(({ type }: { type: string }) => type === service);
      return endpoints.find((each: { interface: string }) => each.interface === "public").url;
    };
    const network = `${rootOf("network").replace(/\/$/, "")}/v2.0`;
    const login = { token: response.headers["x-subject-token"] ?? "", compute: rootOf("compute"), network };
    logins.set(who, login);
    return login;
  }

  const clientOf = (who: Who) => {
    const settings = readSettings(openstack.settings, {
      OS_AUTH_URL: under.authUrl,
      OS_USERNAME: who,
      OS_PROJECT_NAME: who,
      OPENSTACK_ALLOW_HTTP: "true",
    });
    const credential = async (name: string) => (name === "password" ? password : undefined);
    const transport = transportTo(under.authUrl);
    const { nova, neutron } = openstack.connect({ transport, transportTo, clock, settings, credential });
    // Each call waits by itself: on a virtual clock nothing else makes time pass.
    const waiting = <T extends object>(client: T): T => {
      const entries = Object.entries(client).map(([name, call]) => [
        name,
        (...args: never[]) => settled(call(...args) as Promise<unknown>),
      ]);
      return Object.fromEntries(entries) as T;
    };
    return { nova: waiting(nova), neutron: waiting(neutron) };
  };
  const clients = new Map<Who, ReturnType<typeof clientOf>>();
  const clientFor = (who: Who = "admin") => {
    const client = clients.get(who) ?? clientOf(who);
    clients.set(who, client);
    return client;
  };
  const nova = (who?: Who) => clientFor(who).nova;

  const send: Harness["send"] = async (method, path, body, options = {}) => {
    const { who = "admin", version = "2.93", token, service = "compute" } = options;
    const login = logins.get(who) ?? (await logIn(who));
    const headers = { ...json, "openstack-api-version": `compute ${version}`, "x-auth-token": token ?? login.token };
    const content = body ? { body: JSON.stringify(body) } : {};
    const response = await settled(transportTo(login[service])({ method, path, headers, ...content }));
    if (response.status === 401 && token === undefined && logins.delete(who))
      return send(method, path, body, { ...options, token: (await logIn(who)).token });
    const parsed = response.body ? JSON.parse(response.body) : undefined;
    const [fault] = Object.values((parsed ?? {}) as Record<string, { message?: string } | undefined>);
    return { status: response.status, body: parsed, said: response.status >= 400 ? fault?.message : undefined };
  };
  const pass = (seconds: number) => settled(clock.sleep(seconds * 1000));
  const until: Harness["until"] = async (what, ask, within = 60) => {
    const end = clock.now() + within * 1000;
    for (;;) {
      const answer = await ask();
      if (answer) return answer;
      if (clock.now() > end) throw new Error(`${what}: not within ${within} s.`);
      await pass(0.2);
    }
  };
  const serverOf = async (id: string) => {
    const found = await nova().server(id);
    if (!found) throw new Error(`There is no server ${id}.`);
    return found;
  };
  const reaches: Harness["reaches"] = (id, status, within) =>
    until(
      `server ${id} is ${status}`,
      async () => {
        const server = await serverOf(id);
        return server.status === status && server.task === undefined ? server : undefined;
      },
      within,
    );

  return {
    under,
    hosts,
    nova,
    neutron: (who) => clientFor(who).neutron,
    send,
    pass,
    until,
    reaches,
    server: serverOf,
    act: (server, action) => send("POST", `/servers/${server}/action`, action),
    async boot(host, more = {}) {
      const server = { ...under.server, ...more, name: `contract-${made.length}`, host, networks: "none" };
      const { status, body } = await send("POST", "/servers", { server });
      if (status !== 202) throw new Error(`No server was booted: ${JSON.stringify(body)}`);
      made.push(body.server.id);
      await reaches(body.server.id, "ACTIVE");
      return body.server.id;
    },
    async make(what) {
      const { status, body } = await send(
        "POST",
        `/${what}s`,
        { [what]: { name: "contract" } },
        { service: "network" },
      );
      if (status !== 201) throw new Error(`No ${what} was made: ${JSON.stringify(body)}`);
      things.push(`/${what}s/${body[what].id}`);
      return body[what].id;
    },
    async cleanUp() {
      for (const path of things.splice(0)) await send("DELETE", path, undefined, { service: "network" });
      for (const service of [l3, dhcp])
        for (const host of hosts) {
          await under.agents?.(host, service === l3 ? "l3" : "dhcp", true);
          const agent = await until(`the ${service.agentType} of ${host} is alive`, async () =>
            (await clientFor().neutron.agents(service)).find((each) => each.host === host && each.isAlive),
          );
          if (!agent.isEnabled || agent.description) await clientFor().neutron.enable(agent.id, true, "");
        }
      for (const host of hosts) {
        await under.control?.start(host);
        const forced = await nova().service(host);
        if (forced?.isForcedDown) await under.control?.stop(host);
        if (forced?.isForcedDown) await under.control?.start(host);
        // Refused until nova-compute has started, and put away what was evacuated from it.
        if (forced?.isForcedDown)
          await until(`${host} is let back`, () =>
            nova()
              .endForcedDown(forced.id)
              .then(() => true)
              .catch(() => false),
          );
        const service = await until(`${host} is up`, async () => {
          const found = await nova().service(host);
          return found?.state === "up" && found;
        });
        if (!service.isEnabled) await nova().enable(service.id);
      }
      for (const id of made.splice(0)) {
        await send("DELETE", `/servers/${id}`);
        await until(`server ${id} is gone`, async () => !(await nova().server(id)));
      }
    },
  };
}

const json = { accept: "application/json", "content-type": "application/json" };
