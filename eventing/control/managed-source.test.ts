import { describe, expect, test } from "vitest";
import { asServiceAccount } from "../../local/knative/service-account.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { defaultFeatures } from "../features.ts";
import { readApiServerSource } from "../manifest/api-server-source.ts";
import { seededRandom } from "../random.ts";
import { object, scriptedApi } from "../testing/api.ts";
import { podsSource } from "../testing/pods-source.ts";
import { subscribers } from "../testing/subscribers.ts";
import { manageSource } from "./managed-source.ts";

interface Setup {
  spec?: Record<string, unknown>;
  annotations?: Record<string, string>;
  namespaces?: string[];
  rollOnNamespaces?: boolean;
  identify?: boolean;
  /** Verbs that the ServiceAccount may not use. */
  denied?: string[];
}

async function setUp(setup: Setup) {
  const clock = virtualClock();
  const ended = new AbortController();
  const denied = setup.denied ?? [];
  const tokens: string[] = [];
  const api = scriptedApi(
    { v1: ["pods", "/namespaces"] },
    { "/api/v1/namespaces": (setup.namespaces ?? []).map((name) => object("Namespace", name)) },
    (path, body) => {
      if (path.endsWith("/token")) {
        tokens.push(path);
        return { status: { token: `token-${tokens.length}` } };
      }
      if (!path.endsWith("/subjectaccessreviews")) return undefined;
      const { user, resourceAttributes } = (body as { spec: { user: string; resourceAttributes: { verb: string } } })
        .spec;
      return {
        status: { allowed: user === "system:serviceaccount:shop:reader" && !denied.includes(resourceAttributes.verb) },
      };
    },
  );
  const identities = new Set<string | undefined>();
  const transport: Transport = (request) => {
    if (request.path.includes("/pods")) identities.add(request.headers.authorization);
    return api.transport(request);
  };
  const client = createClient(transport, { clock });
  const tools = { client, transport, clock, random: seededRandom(1), signal: ended.signal, server: "https://server" };
  const plan = readApiServerSource(
    podsSource({ sink: { uri: "http://sink" }, serviceAccountName: "reader", ...setup.spec }, setup.annotations),
    defaultFeatures,
  );
  let changes = 0;
  const source = manageSource(
    plan,
    {
      sink: "http://sink",
      identify: setup.identify ? (namespace, name) => asServiceAccount(tools, namespace, name) : undefined,
      rollOnNamespaces: setup.rollOnNamespaces ?? false,
      changed: () => changes++,
    },
    { ...tools, send: subscribers(clock).send },
  );
  await clock.settle();
  const pods = () => api.watches().filter((path) => path.endsWith("/pods"));
  return { clock, api, source, ended, denied, tokens, identities, pods, changes: () => changes };
}

describe("namespaces", () => {
  test("are the source's own by default", async () => {
    const { source, pods } = await setUp({});
    expect(pods()).toEqual(["/api/v1/namespaces/shop/pods"]);
    expect(source.standing()).toEqual({ adapter: "running" });
  });

  test("are all of them with one watch for an empty selector, and a new one does not restart the source", async () => {
    const { source, pods, api, clock } = await setUp({ spec: { namespaceSelector: {} }, namespaces: ["b", "a"] });
    expect(pods()).toEqual(["/api/v1/pods"]);
    expect(source.standing()).toEqual({ adapter: "running" });
    const requests = api.requests.length;
    api.change("/api/v1/namespaces", "ADDED", object("Namespace", "c"));
    await clock.settle();
    expect(api.requests).toHaveLength(requests);
  });

  test("that come and go make it begin again where it is to roll as Knative's adapter does", async () => {
    const { pods, api, clock } = await setUp({
      spec: { namespaceSelector: {} },
      namespaces: ["a"],
      rollOnNamespaces: true,
    });
    api.change("/api/v1/namespaces", "ADDED", object("Namespace", "b"));
    await clock.settle();
    expect(pods()).toEqual(["/api/v1/pods"]);
    expect(api.requests.filter((path) => path === "/api/v1/pods?limit=1")).toHaveLength(2);
  });

  test("of a selector are watched one by one, and followed", async () => {
    const { source, pods, api, clock } = await setUp({
      spec: { namespaceSelector: { matchLabels: { team: "db" } } },
      namespaces: ["a"],
    });
    expect(api.requests).toContain("/api/v1/namespaces?limit=500&labelSelector=team%3Ddb");
    expect(pods()).toEqual(["/api/v1/namespaces/a/pods"]);
    api.change("/api/v1/namespaces", "ADDED", object("Namespace", "b"));
    await clock.settle();
    expect(pods()).toEqual(["/api/v1/namespaces/a/pods", "/api/v1/namespaces/b/pods"]);
    api.change("/api/v1/namespaces", "DELETED", object("Namespace", "a"));
    await clock.settle();
    expect(pods()).toEqual(["/api/v1/namespaces/b/pods"]);
    expect(source.standing()).toEqual({ adapter: "running" });
  });
});

describe("the ServiceAccount", () => {
  test("watches with a token of its own, which is renewed", async () => {
    const { identities, tokens, clock, source } = await setUp({ identify: true });
    expect(identities).toEqual(new Set(["Bearer token-1"]));
    expect(tokens).toEqual(["/api/v1/namespaces/shop/serviceaccounts/reader/token"]);
    await clock.advance(3_000_000);
    source.restart();
    await clock.settle();
    expect(identities).toEqual(new Set(["Bearer token-1", "Bearer token-2"]));
  });

  test("lacks permissions: the source says so and waits for them", async () => {
    const { denied, pods, source, clock } = await setUp({ identify: true, denied: ["list", "watch"] });
    expect(source.standing()).toMatchObject({
      adapter: "starting",
      missingPermissions:
        'User system:serviceaccount:shop:reader cannot list, watch resource "pods" in API group "" in Namespace "shop"',
    });
    expect(pods()).toEqual([]);
    denied.length = 0;
    await clock.advance(2000);
    expect(pods()).toEqual(["/api/v1/namespaces/shop/pods"]);
    expect(source.standing()).toMatchObject({ adapter: "running", missingPermissions: undefined });
  });

  test("is not asked about where the check is skipped", async () => {
    const { pods } = await setUp({
      identify: true,
      denied: ["list"],
      annotations: { "features.knative.dev/apiserversource-skip-permissions-check": "true" },
    });
    expect(pods()).toEqual(["/api/v1/namespaces/shop/pods"]);
  });

  test("does not matter without identities", async () => {
    const { identities, pods } = await setUp({ denied: ["list"] });
    expect(pods()).toHaveLength(1);
    expect(identities).toEqual(new Set([undefined]));
  });
});

test("a stopped source ends all of its watches", async () => {
  const { source, api, clock } = await setUp({ spec: { namespaceSelector: {} }, namespaces: ["a"] });
  source.stop();
  await clock.settle();
  expect(api.watches()).toEqual([]);
});
