import type { ApiResponse, Transport } from "../../shared/kubernetes/transport.ts";

/** One request of a service account, as its roles see it. */
export interface Asked {
  readonly account: string;
  /**
   * `patch /persistentvolumeclaims`: verb, group and resource, as `test/manifests/grants.ts` writes what roles grant.
   */
  readonly grant: string;
  /** What the API server said when it was not allowed. */
  readonly denied?: string;
}

/** A transport that reports what is asked through it; what is no resource, as discovery, is passed over. */
export function observed(account: string, transport: Transport, report: (asked: Asked) => void): Transport {
  return async (request) => {
    const response = await transport(request);
    const grant = grantFor(request.method, request.path);
    if (!grant) return response;
    if (response.status !== 403) {
      report({ account, grant });
      return response;
    }
    const text = (await Array.fromAsync(response.body)).join("");
    // Admission answers 403, too: only roles say who cannot do what.
    const denied = / cannot /.test(text) ? { denied: text } : {};
    report({ account, grant, ...denied });
    return { ...response, body: again(text) } satisfies ApiResponse;
  };
}

async function* again(text: string): AsyncGenerator<string> {
  yield text;
}

/** The verb, group and resource of a request, as the API server derives them for its authorizer. */
export function grantFor(method: string, url: string): string | undefined {
  const [path = "", query = ""] = url.split("?");
  const match =
    /^\/(?:api\/v1|apis\/(?<group>[^/]+)\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/(?<resource>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<sub>[^/]+))?)?$/.exec(
      path,
    )?.groups;
  if (!match?.resource) return undefined;
  const { group = "", resource, name, sub } = match;
  const watching = new URLSearchParams(query).get("watch");
  const reading = name ? "get" : watching === "true" || watching === "1" ? "watch" : "list";
  const verb = (
    { GET: reading, POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" } as Record<string, string>
  )[method];
  return `${verb} ${group}/${resource}${sub ? `/${sub}` : ""}`;
}
