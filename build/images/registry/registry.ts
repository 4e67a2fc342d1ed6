import { UserError } from "../../../shared/command/user-error.ts";
import { isLoopback, type Repository, repositoryName } from "../oci/reference.ts";
import { authorize } from "./authorization.ts";
import { type Challenge, parseChallenges } from "./challenge.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { isForGood, isNoTls, reasonOf, unreachable } from "./explain.ts";
import { isTransient, type Patience, persist } from "./retry.ts";
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
  /**
   * Rejects with a UserError when the registry cannot be reached or refuses who we are; returns its answer otherwise.
   */
  send(call: Call): Promise<Answer>;
}

/** How registries are reached. */
export interface RegistryAccess {
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

/** Opens a connection to read a repository, or to write to it. Rejects with a UserError when no registry answers. */
export async function connect(
  repository: Repository,
  rights: "pull" | "pull,push",
  access: RegistryAccess,
): Promise<Connection> {
  const { patience, credentials } = access;
  const { host, path } = repository;
  const { origin, challenges, send } = await greet(host, access);
  const login = challenges.length > 0 ? await credentials(repository) : undefined;
  // Not what they come to, so that who comes at the same time waits for the same token.
  const headers = new Map<string, Promise<string | undefined>>();

  function headerFor(scopes: readonly string[]): Promise<string | undefined> {
    const key = scopes.join(" ");
    const known = headers.get(key);
    if (known) return known;
    const persistent: Transport = (message) => persist(patience, () => send(message), isForGood);
    const asked = authorize(host, challenges, login, scopes, persistent);
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
      // Another request may have had another one meanwhile.
      for (const [key, header] of headers) if (header === asked) headers.delete(key);
      // A token may have run out, once.
      if (fresh || !authorization?.startsWith("Bearer ")) throw refused(repository, login, reason);
    }
  }

  return {
    repository,
    async send(call) {
      if (call.once) return attempt(call);
      return persist(patience, () => attempt(call)).catch((error: Error) => {
        throw error instanceof UserError ? error : unreachable(host, error);
      });
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

async function greet(host: string, access: RegistryAccess): Promise<Greeting> {
  const lax = access.insecure || isLoopback(host);
  const send = lax ? access.insecureTransport : access.transport;
  const address = addresses[host] ?? host;
  let origin = `https://${address}`;
  const attempt = async () => {
    const greeting = () => send({ method: "GET", url: `${origin}/v2/` });
    return greeting().catch((error: Error & { code?: string }) => {
      // Only one that is there, and speaks otherwise, is spoken to without TLS.
      if (!lax || !isNoTls(error.code ?? "")) throw error;
      origin = `http://${address}`;
      return greeting();
    });
  };
  const answer = await persist(access.patience, attempt, isForGood).catch((error: Error) => {
    throw unreachable(host, error);
  });
  await answer.body.dump();
  if (isTransient(answer.status)) throw unreachable(host, new Error(`it answers ${answer.status}`));
  return { origin, challenges: challengesOf(answer), send };
}

const challengesOf = (answer: Answer) =>
  answer.status === 401 ? parseChallenges(answer.header("www-authenticate") ?? "") : [];

function refused(repository: Repository, login: Credentials | undefined, reason: string): UserError {
  const name = repositoryName(repository);
  return login
    ? new UserError(`The registry refuses the login from ${login.origin} for ${name}: ${reason}.`)
    : new UserError(
        `The registry wants a login for ${name}, and there is none: "docker login ${repository.host}" keeps one.`,
      );
}
