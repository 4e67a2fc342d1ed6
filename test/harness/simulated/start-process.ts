import type { Random } from "../../../eventing/random.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { HttpRequest } from "../../../shared/http-message.ts";
import { createClient } from "../../../shared/kubernetes/client.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../../shared/kubernetes/transport.ts";
import type { Log } from "../../../shared/log.ts";
import { readSettings } from "../../../shared/settings.ts";
import type { Connect } from "../../../shared/system/connect.ts";
import type { ExternalSystem } from "../../../shared/system/system.ts";
import { atOneRoot } from "../../../shared/system/testing/at-one-root.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";
import type { Handler, Start } from "../functions.ts";
import type { Network } from "./network.ts";
import type { Process } from "./process.ts";
import type { SimulatedSystem } from "./simulated-system.ts";

export interface ProcessParts {
  readonly name: string;
  readonly rule: string;
  /** Whether it was started to be beside another one that is at work on the same event. */
  readonly company: boolean;
  readonly environment: Readonly<Record<string, string>>;
  readonly start: (start: Start) => Handler;
  readonly clock: Clock;
  /** Milliseconds by which its clock is off. */
  readonly skew: number;
  readonly random: Random;
  readonly transport: Transport;
  readonly network: Network;
  readonly outsides: readonly SimulatedSystem[];
  readonly post: Start["post"];
  readonly log: Log;
}

/** Starts a process. */
export function startProcess(parts: ProcessParts): Process {
  const { name, rule, company, environment, clock: cluster, skew, random, transport, network, outsides, log } = parts;
  const killed = Promise.withResolvers<never>();
  killed.promise.catch(() => {});
  let isAlive = true;
  const read: string[] = [];
  const alive = () => isAlive;
  const requests: HttpRequest[] = [];

  const process: Process = {
    name,
    rule,
    company,
    environment,
    skew,
    knows: { includes: (text) => read.some((answer) => answer.includes(text)) },
    get alive() {
      return alive();
    },
    async handle(request) {
      if (!alive()) throw new Error("connection refused");
      requests.push(request);
      try {
        return await Promise.race([handler(request), killed.promise]);
      } finally {
        requests.splice(requests.indexOf(request), 1);
      }
    },
    kill() {
      isAlive = false;
      killed.reject(new Error("connection reset by peer"));
    },
  };

  /** What a dead process waits for never comes. */
  async function whileAlive<T>(step: Promise<T>): Promise<T> {
    try {
      const result = await step;
      return alive() ? result : await never();
    } catch (error) {
      if (alive()) throw error;
      return never();
    }
  }

  const clock: Clock = {
    now: () => cluster.now() + skew,
    after: (ms, run) => cluster.after(ms, () => alive() && run()),
    sleep: (ms, signal) => whileAlive(cluster.sleep(ms, signal)),
  };

  async function send(request: ApiRequest): Promise<ApiResponse> {
    if (!alive()) return never();
    const response = await whileAlive(network.carry(process, request, [...requests], transport));
    return { ...response, body: remembered(response.body) };
  }

  async function* remembered(body: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const text of body) {
      if (!alive()) await never();
      read.push(text);
      yield text;
    }
  }

  const client = createClient(send, { clock });
  const clients = new Map(
    outsides.map(({ system, transport, transportTo, credential, settings = {} }) => {
      const through =
        (transport: SystemTransport, where = system.name): SystemTransport =>
        (request) =>
          alive() ? whileAlive(network.carryOutside(process, where, request, [...requests], transport)) : never();
      const tools = {
        ...atOneRoot(through(transport)),
        ...(transportTo && {
          transportTo: (root: string) => through(transportTo(root), `${system.name}@${new URL(root).hostname}`),
        }),
        ...{ clock, settings: readSettings(system.settings, settings), credential },
      };
      return [system.name, system.connect(tools)];
    }),
  );
  const connect: Connect = <Client>({ name }: ExternalSystem<Client>) => clients.get(name) as Client;
  const quiet = (level: keyof Log) => (fields: object, sentence: string) => {
    if (alive()) log[level](fields, sentence);
  };
  const handler = parts.start({
    client: () => client,
    connect,
    clock,
    log: { debug: quiet("debug"), info: quiet("info"), warn: quiet("warn"), error: quiet("error") },
    environment,
    post: async (url, request) => (alive() ? whileAlive(parts.post(url, request)) : never()),
    id: random.uuid,
  });
  return process;
}

const never = () => new Promise<never>(() => {});
