import { expect, test } from "vitest";
import { z } from "zod";
import { openstack } from "../../functions/eviction/lib/openstack/system.ts";
import { salt } from "../../functions/volume/lib/salt/system.ts";
import { about } from "../../shared/about.ts";
import { systemClock } from "../../shared/clock.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { PartlyLooked } from "../../shared/look-at-each.ts";
import { on, type Rule, rule } from "../../shared/rule.ts";
import { readOnlyTransport } from "../../shared/system/read-only.ts";
import { SystemError } from "../../shared/system/system-error.ts";
import { judge } from "./judge.ts";

const object = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { namespace: "shop", name: "data", uid: "1", resourceVersion: "1" },
};

const asks = (look: (client: Client) => Promise<unknown>): Rule =>
  rule({
    name: "toys/toy",
    doc: "A toy.",
    settings: z.object({}),
    triggers: [on(PersistentVolumeClaim, ["update"])],
    permissions: [],
    sweep: [],
    subjects: () => [{ kind: PersistentVolumeClaim, namespace: "shop", name: "data" }],
    look: (_, { client }) => look(client),
    decide: () => [],
  });

/** Has the rule judge the claim on an API server that fails the test when it is asked for anything. */
const judged = (look: (client: Client) => Promise<unknown>) => {
  const client = createClient(async ({ method, path }) => {
    throw new Error(`${method} ${path} was sent.`);
  });
  const connect = () => () => expect.unreachable("The rule has no external system.");
  return judge({ rule: asks(look), environment: {} }, PersistentVolumeClaim, object, {
    client,
    clock: systemClock,
    connect,
  });
};

test.each([
  ["create", (client: Client) => client.create(PersistentVolumeClaim, object)],
  ["patch", (client: Client) => client.patch(PersistentVolumeClaim, "shop", "data", "merge", {})],
  ["delete", (client: Client) => client.delete(PersistentVolumeClaim, "shop", "data")],
  ["post", (client: Client) => client.request("POST", "/api/v1/namespaces/shop/serviceaccounts/a/token")],
])("a look that would %s is refused before anything is sent", async (verb, look) => {
  await expect(judged(look)).rejects.toThrow(`a look must not ${verb} anything`);
});

test("an external system that does not answer is a judgement that is not known", async () => {
  const away = () => Promise.reject(new SystemError("Salt", "unreachable", "Salt could not be asked."));
  expect(await judged(away)).toEqual({ because: "system", unknown: "Salt could not be asked." });
});

test("a judgement is not known either where another object that it rests on could not be looked at", async () => {
  const error = new ApiError("GET", { status: 500, reason: "InternalError", message: "a fault" });
  const failure = { object: { kind: PersistentVolumeClaim, namespace: "shop", name: "other" }, error };
  const look = () => Promise.reject(new PartlyLooked([], [failure]));
  expect(await judged(look)).toEqual({ because: "failure", unknown: error.message });
});

test("decisions about other objects of its kind are left out, also if a look at it takes in all of them", async () => {
  const other = { ...object, metadata: { ...object.metadata, name: "other", uid: "2" } };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...object.metadata, name: "web", uid: "3" } };
  const toy: Rule = {
    ...asks(async () => undefined),
    decide: () => [
      about(PersistentVolumeClaim, other).leave("It stays."),
      about(PersistentVolumeClaim, object).leave("It stays."),
      about(Pod, pod).leave("It stays."),
    ],
  };
  const connect = () => () => expect.unreachable("The rule has no external system.");
  const asking = { client: {} as Client, clock: systemClock, connect };
  const judgement = await judge({ rule: toy, environment: {} }, PersistentVolumeClaim, object, asking);
  expect("decisions" in judgement && judgement.decisions.map((one) => one.about)).toEqual([object, pod]);
});

const post = (path: string, body: object) =>
  ({ method: "POST", path, headers: {}, body: JSON.stringify(body) }) as const;
const call = (client: string, fun: string) => post("/", { client, fun, tgt: "worker-1" });

test.each([
  ["a login to Salt", salt, post("/login", {}), true],
  ["a job that Salt is asked about", salt, call("local", "saltutil.find_job"), true],
  ["a device that Salt is asked about", salt, call("local", "metalk8s_volumes.device_name"), true],
  ["a job for Salt", salt, call("local_async", "state.sls"), false],
  ["a state that Salt is to apply", salt, call("local", "state.sls"), false],
  ["a login to OpenStack", openstack, post("/v3/auth/tokens", {}), true],
  ["a server that OpenStack is to move", openstack, post("/v2.1/servers/1/action", { evacuate: {} }), false],
  ["a node of LINSTOR", { name: "linstor" }, { method: "GET", path: "/v1/nodes", headers: {} } as const, true],
  ["a node for LINSTOR", { name: "linstor" }, post("/v1/nodes", {}), false],
] as const)("%s is sent or refused where a system is only to be read", async (_, system, request, isSent) => {
  let sent = false;
  const transport = async () => {
    sent = true;
    return { status: 200, headers: {}, body: "" };
  };
  const answer = readOnlyTransport(system, transport)(request);
  if (!isSent) await expect(answer).rejects.toThrow("would change something");
  else await answer;
  expect(sent).toBe(isSent);
});
