import { describe, expect, test } from "vitest";
import { StatusError } from "../status-error.ts";
import { decodeProtobuf } from "./decode.ts";

const decode = (base64: string) => decodeProtobuf(Buffer.from(base64, "base64"));

// Bodies that kubectl 1.36.3 sent.
describe("what kubectl sends", () => {
  test.each<[string, string, object]>([
    [
      "create namespace demo",
      "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhwKFAoEZGVtbxIAGgAiACoAMgA4AEIAEgAaAgoAGgAiAA==",
      { kind: "Namespace", apiVersion: "v1", metadata: { name: "demo" }, spec: {}, status: {} },
    ],
    [
      "create configmap c --from-literal=a=b",
      "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEh8KFQoBYxIAGgRkZW1vIgAqADIAOABCABIGCgFhEgFiGgAiAA==",
      { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "c", namespace: "demo" }, data: { a: "b" } },
    ],
    [
      "create secret generic s --from-literal=a=b",
      "azhzAAoMCgJ2MRIGU2VjcmV0EiEKFQoBcxIAGgRkZW1vIgAqADIAOABCABIGCgFhEgFiGgAaACIA",
      { kind: "Secret", apiVersion: "v1", metadata: { name: "s", namespace: "demo" }, data: { a: "Yg==" } },
    ],
    [
      "create token me --duration 20m",
      "azhzAAooChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESDFRva2VuUmVxdWVzdBIdChAKABIAGgAiACoAMgA4AEIAEgMgsAkaBAoAEgAaACIA",
      {
        kind: "TokenRequest",
        apiVersion: "authentication.k8s.io/v1",
        metadata: {},
        spec: { expirationSeconds: 1200 },
        status: {},
      },
    ],
    [
      "auth can-i list pods",
      "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSOgoQCgASABoAIgAqADIAOABCABIcChoKBGRlbW8SBGxpc3QaACIAKgRwb2RzMgA6ABoICAASABoAIAAaACIA",
      {
        kind: "SelfSubjectAccessReview",
        apiVersion: "authorization.k8s.io/v1",
        metadata: {},
        spec: { resourceAttributes: { namespace: "demo", verb: "list", resource: "pods" } },
        status: {},
      },
    ],
  ])("%s", (_, base64, object) => expect(decode(base64)).toEqual(object));
});

const message = (...fields: Uint8Array[]) => Buffer.concat(fields);
const bytes = (number: number, content: Uint8Array | string) => {
  const body = Buffer.from(content as string);
  return Buffer.concat([Buffer.from([(number << 3) | 2, body.length]), body]);
};
const envelope = (kind: string, raw: Uint8Array) =>
  message(Buffer.from("k8s\0"), bytes(1, message(bytes(1, "v1"), bytes(2, kind))), bytes(2, raw));
const failure = (body: Uint8Array) => {
  try {
    return decodeProtobuf(body);
  } catch (error) {
    return error instanceof StatusError ? [error.status, error.message] : error;
  }
};

describe("what is refused", () => {
  test("a kind that is not in the table", () => {
    expect(failure(envelope("Pod", new Uint8Array()))).toEqual([
      415,
      "The laptop edition's API server does not know the kind Pod of v1 as protobuf, which this command sends; " +
        "add --dry-run=client -o yaml to it, and give what it prints to kubectl apply -f -.",
    ]);
  });

  test("a field that is not in the table, rather than losing it", () => {
    const [status, message] = failure(envelope("ConfigMap", bytes(9, "x"))) as [number, string];
    expect(status).toBe(415);
    expect(message).toContain("does not know field 9 of ConfigMap as protobuf");
  });

  test.each([
    ["JSON", Buffer.from("{}"), "it does not begin as one"],
    ["a field without its end", envelope("ConfigMap", Buffer.from([0x0a, 0x7f])), "a field is longer than its message"],
    ["a number without its end", envelope("ConfigMap", Buffer.from([0x20, 0xff])), "a number has no end"],
    ["a group", envelope("ConfigMap", Buffer.from([0x0b])), "field 1 is of no known wire type"],
    ["a number for a text", envelope("ConfigMap", bytes(1, Buffer.from([0x08, 0x01]))), "field 1 is a number"],
  ])("%s", (_, body, why) => expect(failure(body)).toEqual([400, `the body is no protobuf object: ${why}`]));
});
