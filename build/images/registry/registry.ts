import { Complaint } from "../../../local/command/complaint.ts";
import { isLoopback, type Repository, repositoryName } from "../oci/reference.ts";
import { authorize } from "./authorization.ts";
import { type Challenge, parseChallenges } from "./challenge.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { isNoTls, reasonOf, unreachable } from "./explain.ts";
import { isTransient, type Patience, pauseAfter } from "./retry.ts";
import type { Answer, Message, Transport } from "./transport.ts";

/** A message to a registry. */
export interface Call extends Omit<Message, "url"> {
  /** Beneath `/v2/<repository>/`, or an address that the registry has given. */
  readonly to: string;
  /** A repository that the call reads from besides its own. */
  readonly from?: string;
  /** Without: only one try. A body whose first try has failed may have been taken in part. */
  readonly once?: boolean;
}

/** A repository in a registry that has been greeted. */
export interface Connection {
  readonly repository: Repository;
  /** Rejects with a Complaint when the registry cannot be reached or refuses who we are; answers whatever else it says. */
  send(call: Call): Promise<Answer>;
}

/** How registries are reached. */
export interface Surroundings {
  readonly transport: Transport;
  /** Also one that takes any certificate. */
  readonly insecureTransport: Transport;
  /** Whether registries may do without TLS; those on this machine always may. */
  readonly insecure: boolean;
  readonly patience: Patience;
  credentials(repository: Repository): Promise<Credentials | undefined>;
}

/** Docker Hub's registry has another name than its images. */
const addresses: Readonly<Record<string, string>> = { "docker.io": "registry-1.docker.io" };

/** Opens a connection to read a repository, or to write to it. Rejects with a Complaint when nobody is there. */
export async function connect(
  repository: Repository,
  rights: "pull" | "pull,push",
  surroundings: Surroundings,
): Promise<Connection> {
  const { patience, credentials } = surroundings;
  const { host, path } = repository;
  const { origin, challenges, send } = await greet(host, surroundings);
  const login = challenges.length > 0 ? await credentials(repository) : undefined;
  // Not what they come to, so that who comes at the same time waits for the same token.
  const headers = new Map<string, Promise<string | undefined>>();

  function headerFor(scopes: readonly string[]): Promise<string | undefined> {
    const key = scopes.join(" ");
    const known = headers.get(key);
    if (known) return known;
    const asked = authorize(host, challenges, login, scopes, send);
    headers.set(key, asked);
    return asked;
  }

  async function attempt({ to, from, headers: given, ...message }: Call): Promise<Answer> {
    const scopes = [`repository:${path}:${rights}`, ...(from ? [`repository:${from}:pull`] : [])];
    const url = new URL(to, `${origin}/v2/${path}/`);
    for (let fresh = false; ; fresh = true) {
      // An upload may be sent elsewhere, where our token is no one's business.
      const asked = url.origin === origin ? headerFor(scopes) : undefined;
      const authorization = await asked;
      const answer = await send({
        ...message,
        url: url.href,
        headers: { ...given, ...(authorization && { authorization }) },
      });
      if (answer.status !== 401) return answer;
      const reason = await reasonOf(answer);
      // Somebody else may have had another one meanwhile.
      for (const [key, header] of headers) if (header === asked) headers.delete(key);
      // A token may have run out, once.
      if (fresh || !authorization?.startsWith("Bearer ")) throw refused(repository, login, reason);
    }
  }

  return {
    repository,
    async send(call) {
      for (let tried = 1; ; tried++) {
        const answer = await attempt(call).catch((error: Error) => {
          if (error instanceof Complaint || call.once) throw error;
          if (tried === patience.tries) throw unreachable(host, error);
        });
        if (answer && (call.once || !isTransient(answer.status) || tried === patience.tries)) return answer;
        await answer?.body.dump();
        await patience.sleep(pauseAfter(tried, patience, answer?.header("retry-after")));
      }
    },
  };
}

interface Greeting {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What it wants to know of who comes; nothing, if anybody may. */
  readonly challenges: readonly Challenge[];
  readonly send: Transport;
}

async function greet(host: string, surroundings: Surroundings): Promise<Greeting> {
  const lax = surroundings.insecure || isLoopback(host);
  const send = lax ? surroundings.insecureTransport : surroundings.transport;
  const address = addresses[host] ?? host;
  let error: Error & { code?: string } = new Error();
  for (let tried = 1; tried <= surroundings.patience.tries; tried++) {
    for (const origin of lax ? [`https://${address}`, `http://${address}`] : [`https://${address}`]) {
      try {
        const answer = await send({ method: "GET", url: `${origin}/v2/` });
        await answer.body.dump();
        if (!isTransient(answer.status)) return { origin, challenges: challengesOf(answer), send };
        error = new Error(`it answers ${answer.status}`);
      } catch (fault) {
        error = fault as Error;
        // Only one that is there, and speaks otherwise, is spoken to without TLS.
        if (!isNoTls(error.code ?? "")) break;
      }
    }
    if (isFinal(error.code ?? "")) break;
    if (tried < surroundings.patience.tries)
      await surroundings.patience.sleep(pauseAfter(tried, surroundings.patience));
  }
  throw unreachable(host, error);
}

/** What no waiting mends: a name that is none, a port that nobody listens on, a certificate. */
const isFinal = (code: string) =>
  ["ENOTFOUND", "ECONNREFUSED"].includes(code) || isNoTls(code) || /CERT|SELF_SIGNED|UNABLE_TO/.test(code);

const challengesOf = (answer: Answer) =>
  answer.status === 401 ? parseChallenges(answer.header("www-authenticate") ?? "") : [];

function refused(repository: Repository, login: Credentials | undefined, reason: string): Complaint {
  const name = repositoryName(repository);
  return login
    ? new Complaint(`The registry refuses the login from ${login.origin} for ${name}: ${reason}.`)
    : new Complaint(
        `The registry wants a login for ${name}, and there is none: "docker login ${repository.host}" keeps one.`,
      );
}
