import { createClient } from "../../shared/kubernetes/client.ts";
import type { OtherRelease } from "../harness/cluster.ts";
import { functions } from "../harness/functions.ts";

type Starter = (typeof functions)[string];
type Clients = Readonly<Record<"previous" | "present", ReturnType<typeof createClient>>>;

/**
 * Two releases of each function at work on one cluster, under the present manifests, as while Knative shifts traffic:
 * `isPrevious` says, event by event, whether the previous one takes it.
 */
export function sideBySide(
  previous: Pick<OtherRelease, "functions" | "createClient">,
  present: Pick<OtherRelease, "manifests">,
  isPrevious: (rule: string) => boolean,
): OtherRelease {
  const both = (rule: string, later: Starter): Starter => {
    const former = previous.functions[rule];
    if (!former) return (start) => later({ ...start, client: () => clientsOf(start).present });
    return (start) => {
      const now = later({ ...start, client: () => clientsOf(start).present });
      const before = former({ ...start, client: () => clientsOf(start).previous });
      return (request) => (isPrevious(rule) ? before : now)(request);
    };
  };
  return {
    ...present,
    functions: Object.fromEntries(Object.entries(functions).map(([rule, start]) => [rule, both(rule, start)])),
    createClient: (...given) => {
      const clients: Clients = { previous: previous.createClient(...given), present: createClient(...given) };
      return clients as never;
    },
  };
}

const clientsOf = (start: Parameters<Starter>[0]) => (start.client as () => unknown)() as Clients;
