import { generateKeyPairSync } from "node:crypto";
import { exportJWK, SignJWT } from "jose";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { labelSelector } from "../../../eventing/manifest/selector.ts";
import { parseLabelSelector } from "../../../local/apiserver/selector/label-selector.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { readHint } from "../../../shared/event/read-hint.ts";
import { createClient } from "../../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { senderCheck } from "../../../shared/serve/oidc/sender-check.ts";
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
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const check = senderCheck({ client: () => client, clock, log: silent }, environment);
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
  const refusal = await check?.({ ...headers, ...(sent ? { authorization: sent } : {}) });
  return refusal?.status ?? "taken";
}

test("a request with the header as Knative's filter writes it is taken, where the token in it is good", async () => {
  expect(await judged(recorded.headers.authorization)).toBe("taken");
  expect(readHint(request)).toMatchObject({ change: "delete", kind: "Pod", namespace: "holdfast" });
});

test("without the header, with the recording's cut out token, or of a stranger it is not", async () => {
  expect(await judged(undefined)).toBe(401);
  expect(await judged("Bearer -")).toBe(401);
  const stranger = "system:serviceaccount:shop:default";
  expect(await judged(recorded.headers.authorization, stranger)).toBe(403);
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
