import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { Identity } from "./auth/identity.ts";
import { bootstrap } from "./bootstrap.ts";
import { handle } from "./handle.ts";
import { builtin } from "./kinds/builtin-kinds.ts";
import { createResourceTable } from "./kinds/resource-table.ts";
import { serveDefinitions } from "./kinds/serve-definitions.ts";
import { type State, type Switches, usualSwitches } from "./state.ts";
import { createStore, type Observe } from "./store/store.ts";

/** How an API server is to behave. */
export interface ApiServerOptions extends Partial<Switches> {
  readonly clock: Clock;
  /** Source of uids, generated names and the jitter of watches. */
  readonly random: Random;
  /**
   * Who holds which bearer token. Without it every request is an administrator's; with it a request without a token is
   * anonymous and an unknown token is refused with 401. Tokens of service accounts are issued by the server itself.
   */
  readonly tokens?: Readonly<Record<string, Identity>>;
  /** Called with every change within the request that makes it: for what must hold after each write. */
  readonly observe?: Observe;
}

/** The laptop edition's Kubernetes API server, in process. */
export type ApiServer = ReturnType<typeof createApiServer>;

/** How many events of each resource are remembered for watches and paged lists. */
const history = 10_000;

/**
 * A server that holds nothing but the namespaces `default`, `kube-system` and `kube-public`, and with RBAC the roles of
 * a new cluster.
 */
export function createApiServer(options: ApiServerOptions) {
  const { clock, random, tokens, observe, ...switches } = options;
  const state: State = {
    clock,
    random,
    store: createStore(history, observe),
    resources: createResourceTable(builtin),
    switches: { ...usualSwitches, ...switches },
    tokens: tokens && new Map(Object.entries(tokens)),
    issued: new Map(),
    watches: new Map(),
  };
  serveDefinitions(state);
  bootstrap(state);
  const answer: Transport = (request) => handle(state, request);
  return {
    /** Answers one request; every HTTP status resolves. */
    handle: answer,
    /** Forgets the past, as etcd's compaction does: older watches and continue tokens answer 410. */
    compact: () => state.store.compact(),
    /** Ends all watches, so that their timers go. */
    close() {
      for (const end of [...state.watches.keys()]) end();
    },
  };
}
