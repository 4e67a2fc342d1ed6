import type { ApiRequest } from "../../../../shared/kubernetes/transport.ts";
import { type ConsoleKind, consoleKinds } from "./console-kinds.ts";
import { Refusal } from "./refusal.ts";

/** A request for the API server, as a browser made it. */
export interface AskedRequest {
  readonly method: string;
  /** Path and query as they came, not decoded. */
  readonly path: string;
  readonly contentType?: string | undefined;
  /** Of POST, PATCH and DELETE; empty when there is none. */
  readonly body: string;
}

/** The same as it goes to the API server, with nothing in it that was not looked at. */
export interface AllowedRequest extends Omit<ApiRequest, "signal"> {
  readonly isWatch: boolean;
}

/**
 * What becomes of a request: pure, and all that decides what reaches the API server. Only what is named here passes:
 * kinds, verbs, query parameters, and the fields of a patch. A path passes as plain segments only: nothing that a
 * server behind might decode, normalize or split again.
 *
 * @throws Refusal that says what is not passed on.
 */
export function allowedRequest(asked: AskedRequest): AllowedRequest {
  const [path = "", query, ...more] = asked.path.split("?");
  if (more.length > 0 || !plainPath.test(path)) throw new Refusal(403, "The console passes on plain paths only.");
  const parameters = readQuery(query ?? "");
  const isWatch = /^(1|true)$/.test(parameters.get("watch") ?? "");
  const content = checkVerb(path, asked, parameters);
  const text = parameters.toString();
  return {
    method: asked.method as ApiRequest["method"],
    path: text ? `${path}?${text}` : path,
    headers: { accept: json, ...(content ? { "content-type": content.type } : {}) },
    // Written again, because of a field that comes twice another parser may take the other one.
    ...(content ? { body: JSON.stringify(content.value) } : {}),
    isWatch,
  };
}

const json = "application/json";
const mergePatch = "application/merge-patch+json";

/** Names of Kubernetes objects need no more, and none of it means anything to a URL parser. */
const plainPath = /^(\/[A-Za-z0-9][-A-Za-z0-9._]*)+$/;

const known: ReadonlySet<string> = new Set([
  ...["limit", "continue", "labelSelector", "fieldSelector"],
  ...["watch", "resourceVersion", "resourceVersionMatch", "allowWatchBookmarks", "sendInitialEvents", "timeoutSeconds"],
]);

function readQuery(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  const names = [...parameters.keys()];
  const wrong = names.find((name, index) => !known.has(name) || names.indexOf(name) !== index);
  if (wrong !== undefined)
    throw new Refusal(403, `The console does not pass on the query parameter ${wrong}, or not twice.`);
  return parameters;
}

/** What goes along with a request. */
interface Content {
  readonly type: string;
  readonly value: object;
}

function checkVerb(
  path: string,
  { method, contentType, body }: AskedRequest,
  parameters: URLSearchParams,
): Content | undefined {
  const refuse = () => new Refusal(403, `The console does not pass on ${method} ${path}.`);
  if (isReview(path)) {
    if (method !== "POST") throw refuse();
    return readContent(json, contentType, body);
  }
  const target = targetOf(path);
  if (!target) throw refuse();
  const { kind, key, name } = target;
  switch (method) {
    case "GET":
      if (name || !isOwn(key, parameters)) throw refuse();
      return undefined;
    case "POST":
      if (name || !kind.create) throw refuse();
      return readContent(json, contentType, body);
    case "PATCH":
      if (!name || !kind.fields) throw refuse();
      return readContent(mergePatch, contentType, body, [guard, ...kind.fields]);
    case "DELETE":
      if (!name || !kind.delete) throw refuse();
      return body ? readContent(json, contentType, body, deleteOptions) : undefined;
    default:
      throw refuse();
  }
}

/** What a user may do, and who they are: asked of the API server, written nowhere. */
export const selfSubjectReview = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const reviews: ReadonlySet<string> = new Set([
  selfSubjectReview,
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
]);

/** Whether a path is that of a question, which is asked by POST. */
export const isReview = (path: string): boolean => reviews.has(path);

interface Target {
  readonly kind: ConsoleKind;
  readonly key: string;
  readonly name?: string | undefined;
}

/** No path of a subresource names a kind of the table: `pods/log`, `nodes/proxy`, `namespaces/finalize`. */
function targetOf(path: string): Target | undefined {
  const [, root, ...segments] = path.split("/");
  const apiVersion = segments.splice(0, root === "apis" ? 2 : 1).join("/");
  if (root !== "api" && root !== "apis") return undefined;
  const isInNamespace = segments[0] === "namespaces" && segments.length > 2;
  const namespace = isInNamespace ? segments.splice(0, 2)[1] : undefined;
  const [plural = "", name, ...subresource] = segments;
  const key = `${apiVersion}/${plural}`;
  const kind = consoleKinds.get(key);
  if (!kind || subresource.length > 0) return undefined;
  if (kind.namespaced ? name && !namespace : namespace) return undefined;
  return { kind, key, name };
}

/** Of ConfigMaps only those of Holdfast: others may hold what belongs to other people. */
function isOwn(key: string, parameters: URLSearchParams): boolean {
  if (key !== "v1/configmaps") return true;
  const { labelSelector = "", fieldSelector = "" } = Object.fromEntries(parameters);
  return (
    /^metadata\.name=holdfast(-[-a-z0-9.]+)?$/.test(fieldSelector) ||
    labelSelector.split(",").includes("app.kubernetes.io/part-of=holdfast")
  );
}

function readContent(type: string, contentType: string | undefined, body: string, fields?: Fields): Content {
  if (contentType?.split(";")[0]?.trim() !== type)
    throw new Refusal(415, `The console passes this request on as ${type} only.`);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new Refusal(400, "The body of the request is not JSON.", { cause });
  }
  if (!isObject(value)) throw new Refusal(400, "The body of the request is no JSON object.");
  if (fields) checkFields(value, fields, []);
  return { type, value };
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type Fields = readonly (readonly string[])[];

/** What a patch may name of every kind: that it means this object, and not another one of its name. */
const guard = ["metadata", "uid"];
const deleteOptions: Fields = [["apiVersion"], ["kind"], ["preconditions", "uid"]];

function checkFields(value: object, allowed: Fields, at: readonly string[]): void {
  for (const [key, part] of Object.entries(value)) {
    const path = [...at, key];
    const isPrefixOf = (other: readonly string[]) => path.every((segment, index) => other[index] === segment);
    const matching = allowed.filter(isPrefixOf);
    if (matching.some(({ length }) => length === path.length)) continue;
    if (matching.length === 0 || !isObject(part))
      throw new Refusal(403, `The console does not pass on a change of ${path.join(".")}.`);
    checkFields(part, matching, path);
  }
}
