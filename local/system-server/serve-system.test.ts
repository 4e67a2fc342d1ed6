import { afterEach, expect, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { systemClock } from "../../shared/clock.ts";
import { createSalt } from "../salt/salt.ts";
import { type SystemServer, serveSystem } from "./serve-system.ts";

let server: SystemServer;
const salt = createSalt({
  clock: systemClock,
  random: seededRandom(1),
  minions: { "worker-0": {} },
  accounts: { storage: ["test.ping"] },
  password: "secret",
});
afterEach(() => server.close());

test("asks and answers over HTTP", async () => {
  server = await serveSystem(salt.transport);
  const post = (path: string, body: object, headers = {}) =>
    fetch(server.url + path, { method: "POST", body: JSON.stringify(body), headers });
  const login = (await (await post("/login", { username: "storage", password: "secret" })).json()) as {
    return: [{ token: string }];
  };
  const command = { client: "local", tgt: "*", fun: "test.ping" };
  const answer = await post("/", command, { "x-auth-token": login.return[0].token });
  expect([answer.status, await answer.json()]).toEqual([200, { return: [{ "worker-0": true }] }]);
  const refused = await post("/", command);
  expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "text/html;charset=utf-8"]);
});

test("what is not answered ends with the connection", async () => {
  server = await serveSystem(salt.transport);
  salt.stop("api");
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});
