import { generateKeyPairSync } from "node:crypto";
import { exportJWK, SignJWT } from "jose";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { labelSelector } from "../../../eventing/manifest/selector.ts";
import { parseLabelSelector } from "../../../local/apiserver/selector/label-selector.ts";
import { virtualClock } from "../../../local/time/virtual-clock.ts";
import { readHint } from "../../../shared/event/read-hint.ts";
import type { HttpRequest } from "../../../shared/http-message.ts";
import { createClient } from "../../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { guarded } from "../../../shared/serve/oidc/guard.ts";
import { readKustomization } from "../../manifests/kustomization.ts";
import { ofKind } from "../../manifests/schemas/schemas.ts";
import { recordings, requestOf } from "./recorded.ts";

const recorded = recordings("hops").find(({ recorded }) => recorded === "oidc-filter");
if (!recorded) throw new Error("There is no recording oidc-filter.");
const request = requestOf(recorded);

const service = "pvc-protection-release";
const sender = `system:serviceaccount:holdfast:${service}-workloads-oidc`;

/** Holds a request against what the component oidc sets on a function; the recorded token is cut out. */
async function judged(authorization: string | undefined, from = sender) {
  const clock = virtualClock();
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const issuer = "https://kubernetes.default.svc";
  const keys = [{ ...(await exportJWK(publicKey)), kid: "a", alg: "RS256", use: "sig" }];
  const client = createClient(
    async ({ path }) => {
      async function* body() {
        yield JSON.stringify(path.endsWith("/jwks") ? { keys } : { issuer });
      }
      return { status: 200, headers: {}, body: body() };
    },
    { clock },
  );
  const { patches } = readKustomization("knative/components/oidc");
  const set = patches.find(({ target }) => target.kind === "Service" && target.name === service);
  const added = parse(set?.patch ?? "") as { value: { name: string; value: string } }[];
  const environment = Object.fromEntries(added.map(({ value: { name, value } }) => [name, value]));
  const taken: HttpRequest[] = [];
  const handle = async (event: HttpRequest) => {
    taken.push(event);
    return { status: 204, headers: {}, body: "" };
  };
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const guard = guarded(handle, { client: () => client, clock, log: silent }, environment);
  const seconds = Math.floor(clock.now() / 1000);
  const token = await new SignJWT({
    iss: issuer,
    aud: environment.OIDC_AUDIENCE ?? "",
    sub: from,
    nbf: seconds,
    exp: seconds + 600,
  })
    .setProtectedHeader({ alg: "RS256", kid: "a" })
    .sign(privateKey);
  const { authorization: _, ...headers } = request.headers as Record<string, string>;
  const sent = authorization?.replace("<token>", token);
  const { status } = await guard({ ...request, headers: { ...headers, ...(sent ? { authorization: sent } : {}) } });
  return { status, taken };
}

test("a request with the header as Knative's filter writes it is taken, where the token in it is good", async () => {
  const { status, taken } = await judged(recorded.headers.authorization);
  expect(status).toBe(204);
  expect(readHint(taken[0]!)).toMatchObject({ change: "delete", kind: "Pod", namespace: "holdfast" });
});

test("without the header, with the recording's cut out token, or of a stranger it is not", async () => {
  expect(await judged(undefined)).toEqual({ status: 401, taken: [] });
  expect(await judged("Bearer -")).toEqual({ status: 401, taken: [] });
  const stranger = "system:serviceaccount:shop:default";
  expect(await judged(recorded.headers.authorization, stranger)).toEqual({ status: 403, taken: [] });
});

test("the pod in it, an adapter's, is one that no source sends an event of any more", () => {
  const { labels = {} } = (recorded.body as KubernetesObject).metadata;
  const { objects } = readKustomization("knative/overlays/default");
  const selectors = ofKind("ApiServerSource", objects).flatMap(({ spec }) =>
    spec.resources.filter(({ kind }) => kind === "Pod"),
  );
  expect(selectors).toHaveLength(1);
  for (const { selector } of selectors) {
    const selects = parseLabelSelector(labelSelector.parse(selector));
    expect(selects(labels)).toBe(false);
    expect(selects({ app: "web" })).toBe(true);
  }
});
