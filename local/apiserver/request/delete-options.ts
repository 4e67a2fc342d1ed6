import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { badRequest, invalidOptions } from "../failure.ts";
import { fieldsAt } from "../kinds/fields.ts";
import { protobufType } from "../protobuf/decode.ts";
import { StatusError } from "../status-error.ts";
import { forbiddenValue, unsupportedValue } from "../validation/status-cause.ts";
import { contentType, protobufIn } from "./body.ts";
import type { Call } from "./call.ts";
import { integer } from "./query.ts";
import { isDryRun } from "./write-options.ts";

/** How something is to be deleted. */
export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: Propagation;
  readonly dryRun: boolean;
}

const propagations = ["Foreground", "Background", "Orphan"] as const;
type Propagation = (typeof propagations)[number];

/** Reads the options of a DELETE from its body or, when it has none, its query. */
export function deleteOptions(call: Call): DeleteOptions {
  const { body } = call.request;
  return optionsFrom(call, body ? parse(call, body) : fromQuery(call.query));
}

/** Reads options from a document; an eviction carries them inside. */
export function optionsFrom(call: Call, document: Fields): DeleteOptions {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, dryRun } = document;
  if (orphanDependents !== undefined) {
    const why = "the laptop edition's API server takes propagationPolicy alone";
    throw invalidOptions("DeleteOptions", [forbiddenValue("orphanDependents", why)]);
  }
  const { uid, resourceVersion } = fieldsAt(document, "preconditions");
  const policy = propagationOf(propagationPolicy);
  return {
    ...(typeof uid === "string" ? { uid } : {}),
    ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
    ...(typeof gracePeriodSeconds === "number"
      ? { gracePeriodSeconds: gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds }
      : {}),
    ...(policy ? { propagationPolicy: policy } : {}),
    dryRun: call.dryRun || isDryRun(Array.isArray(dryRun) ? dryRun.map(String) : [], "DeleteOptions"),
  };
}

function propagationOf(given: unknown): Propagation | undefined {
  if (given === undefined || given === "") return undefined;
  const known = propagations.find((policy) => policy === given);
  if (known) return known;
  throw invalidOptions("DeleteOptions", [unsupportedValue("propagationPolicy", given, [...propagations, "nil"])]);
}

function parse(call: Call, body: string): Fields {
  let document: unknown;
  try {
    document = contentType(call) === protobufType ? protobufIn(call) : JSON.parse(body);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : error}`);
  }
  if (!isFields(document)) throw badRequest("couldn't get version/kind; the body is no object");
  const { kind = "DeleteOptions", apiVersion = "v1" } = document;
  if (kind !== "DeleteOptions") {
    throw badRequest(`${kind} of ${apiVersion} is no DeleteOptions`);
  }
  return document;
}

function fromQuery(query: URLSearchParams): Fields {
  const grace = integer(query, "gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(query.has("orphanDependents") ? { orphanDependents: query.get("orphanDependents") } : {}),
  };
}
