import { groupOf, type Kind } from "../../shared/kubernetes/kind.ts";
import { StatusError } from "./status-error.ts";
import { type Cause, invalidValue } from "./validation/status-cause.ts";

/** `details` of a Status about an object: the resource's plural stands under `kind`, as the real server has it. */
export function about(kind: Kind, name: string): Record<string, unknown> {
  const group = groupOf(kind);
  return { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: kind.plural };
}

/** `statefulsets.apps`, or the plural alone in the core group. */
export function qualified(kind: Kind): string {
  const group = groupOf(kind);
  return group ? `${kind.plural}.${group}` : kind.plural;
}

/** 404: no such object. */
export const notFound = (kind: Kind, name: string) =>
  new StatusError(404, "NotFound", `${qualified(kind)} ${JSON.stringify(name)} not found`, about(kind, name));

/** 404: nothing is served there. */
export const notServed = () => new StatusError(404, "NotFound", "the server could not find the requested resource", {});

/** 409: the name is taken. */
export const alreadyExists = (kind: Kind, name: string) =>
  new StatusError(409, "AlreadyExists", `${qualified(kind)} ${JSON.stringify(name)} already exists`, about(kind, name));

/** 409: the object is not what the writer read. */
export const conflict = (kind: Kind, name: string, why: string) =>
  new StatusError(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(kind)} ${JSON.stringify(name)}: ${why}`,
    about(kind, name),
  );

/** The usual 409 of a stale resourceVersion. */
export const modified = (kind: Kind, name: string) =>
  conflict(kind, name, "the object has been modified; please apply your changes to the latest version and try again");

/** 403. */
export const forbidden = (kind: Kind, name: string, why: string, causes?: Partial<Cause>[]) =>
  new StatusError(403, "Forbidden", `${qualified(kind)} ${JSON.stringify(name)} is forbidden: ${why}`, {
    ...about(kind, name),
    ...(causes ? { causes } : {}),
  });

/** 400. */
export const badRequest = (message: string) => new StatusError(400, "BadRequest", message);

/** 422 with a cause for each wrong field. */
export function invalid(kind: Kind, name: string, causes: readonly Cause[]): StatusError {
  // Events are checked in the core group, whichever of their groups was asked.
  const group = groupOf(kind) === "events.k8s.io" ? "" : groupOf(kind);
  // The same problem found twice is two causes but one line.
  const lines = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const list = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  const subject = `${kind.kind}${group ? `.${group}` : ""} ${JSON.stringify(name)}`;
  return new StatusError(422, "Invalid", `${subject} is invalid: ${list}`, {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(kind.kind ? { kind: kind.kind } : {}),
    causes,
  });
}

/** 405. */
export const methodNotAllowed = (kind?: Kind, name?: string) =>
  new StatusError(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    kind ? about(kind, name ?? "") : {},
  );

/** 410: what was asked for is older than what the server remembers. */
export const expired = (message: string) => new StatusError(410, "Expired", message);

/** 504: the client has seen a version that this server has not. */
export const tooLargeVersion = (wanted: number, current: number) =>
  new StatusError(504, "Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });

/** 501: the laptop edition does not do this, and says so rather than doing half of it. */
export const notImplemented = (what: string) =>
  new StatusError(501, "NotImplemented", `The laptop edition's API server does not implement ${what}.`);

/** 500, of all things, as the API server has it: a resourceVersion that is no number. */
export const unreadableVersion = (version: string, field = "") =>
  new StatusError(500, "", `${field}strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);

/** 422 about the parameters of a call: `ListOptions`, `CreateOptions`, `DeleteOptions`, ... */
export const invalidOptions = (kind: string, causes: readonly Cause[]) =>
  invalid({ apiVersion: "meta.k8s.io/v1", kind, plural: "", namespaced: false }, "", causes);

/** 422: a patch leads to an object that its type cannot hold. */
export const unprocessablePatch = (result: unknown, why: string) =>
  invalid({ apiVersion: "", kind: "", plural: "", namespaced: false }, "", [
    invalidValue("patch", JSON.stringify(result), why),
  ]);
