import { type Fields, setField } from "../../../shared/kubernetes/fields.ts";
import { badRequest } from "../failure.ts";
import { objectIn } from "../kinds/fields.ts";
import { timestampAt } from "../state.ts";
import { StatusError } from "../status-error.ts";
import { messages } from "./messages.ts";
import { fieldsOnWire, type WireField } from "./wire.ts";

/** The media type in which kubectl's own commands, such as `kubectl create namespace`, send what they create. */
export const protobufType = "application/vnd.kubernetes.protobuf";

const magic = "k8s\0";

/**
 * Reads an object from Kubernetes' protobuf encoding. Only the kinds are known that kubectl sends so; for any other,
 * and for a field that is not in the table, throws 415, for the server would otherwise lose what it does not
 * understand.
 */
export function decodeProtobuf(bytes: Uint8Array): Fields {
  try {
    if (Buffer.from(bytes.subarray(0, magic.length)).toString("latin1") !== magic) {
      throw new Error("it does not begin as one");
    }
    const { typeMeta, raw } = decodeMessage("Unknown", bytes.subarray(magic.length)) as Envelope;
    const { apiVersion = "", kind = "" } = typeMeta ?? {};
    if (!Object.hasOwn(messages, kind)) throw unknown(`the kind ${kind} of ${apiVersion}`);
    return { kind, apiVersion, ...decodeMessage(kind, raw ?? new Uint8Array()) };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(`the body is no protobuf object: ${error instanceof Error ? error.message : error}`);
  }
}

interface Envelope {
  typeMeta?: { apiVersion?: string; kind?: string };
  raw?: Uint8Array;
}

const unknown = (what: string) =>
  new StatusError(
    415,
    "UnsupportedMediaType",
    `The laptop edition's API server does not know ${what} as protobuf, which this command sends; ` +
      "add --dry-run=client -o yaml to it, and give what it prints to kubectl apply -f -.",
  );

function decodeMessage(name: string, bytes: Uint8Array): Fields {
  const message = messages[name] ?? {};
  const result: Fields = {};
  for (const field of fieldsOnWire(bytes)) {
    if (name === "Ignored") continue;
    const [json, type] = (message[field.number] ?? "").split(":");
    if (!json || !type) throw unknown(`field ${field.number} of ${name}`);
    if (type.endsWith("[]")) {
      const list = Array.isArray(result[json]) ? result[json] : [];
      result[json] = [...list, decodeValue(type.slice(0, -2), field)];
    } else if (type.endsWith("{}")) {
      const { key, value } = decodeEntry(type.slice(0, -2), field);
      setField(objectIn(result, json), key, value);
    } else {
      const value = decodeValue(type, field);
      // Go writes empty texts and numbers that were never set.
      if (value !== "" && value !== undefined) result[json] = value;
    }
  }
  return result;
}

function decodeEntry(type: string, field: WireField): { key: string; value: unknown } {
  let [key, value]: [string, unknown] = ["", ""];
  for (const part of fieldsOnWire(bytesOf(field))) {
    if (part.number === 1) key = textOf(part);
    else value = decodeValue(type, part);
  }
  return { key, value };
}

function decodeValue(type: string, field: WireField): unknown {
  switch (type) {
    case "string":
      return textOf(field);
    case "int":
      return Number(field.value);
    case "count":
      return Number(field.value) || undefined;
    case "bool":
      return field.value === 1n;
    case "bytes":
      return Buffer.from(bytesOf(field)).toString("base64");
    case "raw":
      return bytesOf(field);
    case "Time":
      return decodeTime(bytesOf(field));
  }
  return decodeMessage(type, bytesOf(field));
}

function decodeTime(bytes: Uint8Array): string | undefined {
  const seconds = [...fieldsOnWire(bytes)].find(({ number }) => number === 1)?.value;
  if (seconds === undefined) return undefined;
  return timestampAt(Number(seconds) * 1000);
}

function bytesOf({ number, value }: WireField): Uint8Array {
  if (typeof value === "bigint") throw new Error(`field ${number} is a number`);
  return value;
}

const textOf = (field: WireField) => Buffer.from(bytesOf(field)).toString("utf8");
