import type { PatchType } from "../../shared/kubernetes/client.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../shared/kubernetes/transport.ts";
import { type Written, writesOf } from "../../shared/writes-of.ts";

/** One request of a service account, as its roles see it. */
export interface AccountRequest {
  readonly account: string;
  /**
   * `patch /persistentvolumeclaims`: verb, group and resource, as `test/manifests/grants.ts` writes what roles grant.
   */
  readonly grant: string;
  /** What a patch or a create wrote, as far as it says; none where the API server has refused it. */
  readonly written?: readonly Written[];
  /** What the API server said when it was not allowed. */
  readonly denied?: string;
}

/** A transport that reports what is asked through it; what is no resource, as discovery, is passed over. */
export function recordRequests(
  account: string,
  transport: Transport,
  report: (asked: AccountRequest) => void,
): Transport {
  return async (request) => {
    const response = await transport(request);
    const grant = grantFor(request.method, request.path);
    if (!grant) return response;
    if (response.status !== 403) {
      const written = response.status < 300 ? writtenBy(request) : undefined;
      report({ account, grant, ...(written ? { written } : {}) });
      return response;
    }
    const text = (await Array.fromAsync(response.body)).join("");
    // Admission answers 403, too: only roles say who cannot do what.
    const denied = / cannot /.test(text) ? { denied: text } : {};
    report({ account, grant, ...denied });
    return { ...response, body: again(text) } satisfies ApiResponse;
  };
}

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** What a patch changes, and what is in the metadata of what is created. */
function writtenBy({ method, headers, body }: ApiRequest): readonly Written[] | undefined {
  if (body === undefined) return undefined;
  if (method === "POST") return writesOf("merge", { metadata: JSON.parse(body).metadata });
  if (method !== "PATCH") return undefined;
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const patch = patchTypes[type ?? ""];
  // The client sends an object that is applied as JSON, which is YAML, too.
  return patch && writesOf(patch, JSON.parse(body));
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
