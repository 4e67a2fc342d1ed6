import { salt as saltSystem } from "../../../functions/volume/lib/salt/system.ts";
import { storageRights } from "../../../local/salt/api/rights.ts";
import type { Call, MinionFunction, Process } from "../../../local/salt/minion/function.ts";
import { volumeFunctions } from "../../../local/salt/node/functions.ts";
import { createNode, type StorageNode } from "../../../local/salt/node/node.ts";
import { reactTo } from "../../../local/salt/reactor.ts";
import { createSalt, type SaltStandIn } from "../../../local/salt/salt.ts";
import type { SystemRequest, SystemTransport } from "../../../shared/system/transport.ts";
import { bareNode, kubeletNode } from "../../harness/cluster-objects.ts";
import { pick } from "../../harness/faults/api.ts";
import type { Occurrence, SimulatedSystem, SimulatedSystemContext } from "../../harness/simulated/simulated-system.ts";

/** A job of the product as the simulation knows it, from what is sent over the network. */
export interface JobOfVolume {
  readonly jid: string;
  readonly step: string;
  readonly volume: string;
  readonly uid: string;
}

/** How a job ended: `killed`, with its process. */
export type RunEnd = "done" | "failed" | "killed";

/** What happens in Salt. */
export type InSalt = Occurrence &
  (
    | { readonly kind: "asked"; readonly jid: string; readonly at: number }
    | { readonly kind: "posted"; readonly job: JobOfVolume; readonly at: number }
    | { readonly kind: "begins"; readonly job: JobOfVolume; readonly at: number }
    | { readonly kind: "ends"; readonly job: JobOfVolume; readonly how: RunEnd }
  );

/** Salt with two minions, one on the node of the kubelet, and all that has happened in it. */
export interface SimulatedSalt extends SimulatedSystem {
  readonly standIn: SaltStandIn;
  readonly nodes: readonly StorageNode[];
  readonly history: readonly InSalt[];
  /** Jobs that are under way. */
  readonly running: ReadonlyMap<string, JobOfVolume>;
  /** Milliseconds that each job takes beyond what it needs. */
  delay: number;
  /** So many jobs that make storage are killed as soon as they have begun, also when all faults have ended. */
  kills: number;
  /** Posts the last job once more, as a network or a person may. */
  postAgain(): void;
}

const broker = "http://broker-ingress.knative-eventing.svc.cluster.local/holdfast/storage";
const password = "secret";
/** Milliseconds, before a run has done anything. */
const soon = 100;
export const minion = kubeletNode;
/** A node without a kubelet. */
export const otherMinion = bareNode;

/** Makes the Salt of a run. */
export function simulatedSalt({
  clock,
  streams,
  schedule,
  trace,
  faults,
  drop,
  occur,
  post,
}: SimulatedSystemContext): SimulatedSalt {
  const nodes = [minion, otherMinion].map(createNode);
  const running = new Map<string, JobOfVolume>();
  const history: InSalt[] = [];
  const add = (occurrence: InSalt) => {
    history.push(occurrence);
    occur(occurrence);
  };
  let last: SystemRequest | undefined;
  let events = 0;

  const watched = (run: MinionFunction, on: string) => async (call: Call, process: Process) => {
    const job = jobOf(call);
    if (!job) return run(call, process);
    const end = (how: RunEnd) => add({ kind: "ends", job, how, what: `${job.step} of ${job.volume} is ${how}` });
    running.set(job.jid, job);
    if (salt.kills > 0 && job.step === "PrepareVolume") {
      salt.kills--;
      clock.after(soon, () => standIn.killJob(job.jid, on));
    }
    add({ kind: "begins", job, at: clock.now(), what: `${job.step} of ${job.volume} begins (${job.jid})` });
    let how: RunEnd = "killed";
    try {
      await process.clock.sleep(salt.delay, process.signal);
      const returned = await run(call, process);
      how = returned.retcode === 0 ? "done" : "failed";
      return returned;
    } finally {
      running.delete(job.jid);
      end(how);
    }
  };
  const functionsOf = (node: StorageNode) =>
    Object.entries(volumeFunctions(node)).map(([fun, run]) => [fun, steps[fun] ? watched(run, node.id) : run]);
  const standIn = createSalt({
    clock,
    random: streams("salt"),
    minions: Object.fromEntries(nodes.map((node) => [node.id, Object.fromEntries(functionsOf(node))])),
    accounts: { holdfast: storageRights, root: [{ "*": Object.keys(steps) }] },
    password,
    onReturn(returned) {
      const event = reactTo(returned);
      const lost = schedule.draw(`event ${++events} of Salt`, (random) => random.next() < drop || undefined);
      if (event && !lost) post(broker, event);
    },
  });

  const transport: SystemTransport = async (request) => {
    const jid = jidIn(request);
    const about = `${request.method} ${request.path} ${jid}`.trim();
    add({ kind: "asked", jid, at: clock.now(), what: `is asked: ${about}` });
    const answer = await standIn.transport(request);
    const body = request.method === "POST" && request.path === "/" ? JSON.parse(request.body ?? "{}") : {};
    if (body.client !== "local_async" || answer.status !== 200) return answer;
    last = request;
    const { step, volume, uid } = body.metadata;
    const job = { jid: body.jid, step, volume, uid };
    add({ kind: "posted", job, at: clock.now(), what: `${step} of ${volume} was posted (${job.jid})` });
    return answer;
  };

  /** As the master's root, who does not wait for an answer. */
  function asRoot(command: object): void {
    send(command).catch((error: Error) => trace.add("root", `is not answered: ${error.message}`));
  }

  async function send(command: object): Promise<void> {
    const login = JSON.stringify({ eauth: "holdfast", username: "root", password });
    const { body } = await standIn.transport({ method: "POST", path: "/login", headers: {}, body: login });
    const headers = { "x-auth-token": JSON.parse(body).return[0].token };
    await standIn.transport({ method: "POST", path: "/", headers, body: JSON.stringify(command) });
  }

  const salt: SimulatedSalt = {
    system: saltSystem,
    transport,
    credential: async (name) => (name === "password" ? password : undefined),
    standIn,
    nodes,
    history,
    running,
    kills: 0,
    delay: faults ? pick(streams("jobs of Salt"), [0, 0, 2_000, 25_000]) : 0,
    postAgain() {
      if (last?.body) asRoot(JSON.parse(last.body));
    },
    restore() {
      for (const name of ["master", "api", minion, otherMinion]) standIn.start(name);
      for (const node of nodes) node.full = false;
      salt.delay = 0;
    },
    isIdle: () => running.size === 0,
  };
  return salt;
}

const steps: Readonly<Record<string, string>> = {
  "metalk8s_volumes.prepare": "PrepareVolume",
  "metalk8s_volumes.unprepare": "UnprepareVolume",
};

function jobOf({ fun, jid, kwarg }: Call): JobOfVolume | undefined {
  const { name, uid } = (kwarg.volume as { metadata?: { name?: string; uid?: string } } | undefined)?.metadata ?? {};
  const step = steps[fun];
  return name && uid && step ? { jid, step, volume: name, uid } : undefined;
}

function jidIn({ path, body = "" }: SystemRequest): string {
  return /^\/jobs\/(\d+)/.exec(path)?.[1] ?? /"jid":"(\d+)"/.exec(body)?.[1] ?? "";
}
