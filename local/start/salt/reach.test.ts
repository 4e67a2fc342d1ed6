import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { systemClock } from "../../../shared/clock.ts";
import { storageRights } from "../../salt/api/rights.ts";
import { createSalt, type SaltStandIn } from "../../salt/salt.ts";
import { type SystemServer, serveSystem } from "../../system-server/serve-system.ts";
import { reachSalt } from "./reach.ts";
import type { SaltFlags } from "./read-flags.ts";
import { type Certified, certify } from "./testing/certify.ts";

let folder: string;
let certified: Certified;
let server: SystemServer | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "salt-test-"));
  certified = certify(folder);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const saltWith = (...minions: string[]): SaltStandIn =>
  createSalt({
    clock: systemClock,
    random: seededRandom(1),
    minions: Object.fromEntries(minions.map((minion) => [minion, {}])),
    accounts: { holdfast: storageRights },
    password: "secret",
  });

/** What is said of a Salt on a port, with these flags over those that would do. */
async function reach(salt: SaltStandIn, flags: Partial<SaltFlags> = {}, secure = false) {
  server = await serveSystem(salt.transport, secure ? certified : undefined);
  const usual = { url: server.url, username: "holdfast", eauth: "holdfast", password: { text: "secret" } };
  return reachSalt({ ...usual, ...flags }, systemClock).catch((error: Error) => error.message);
}

test("the only minion is the one to work on, and a file has the password", async () => {
  const file = join(folder, "password");
  writeFileSync(file, "secret\n");
  expect(await reach(saltWith("worker-0"), { password: { file } })).toEqual({
    url: server?.url,
    username: "holdfast",
    eauth: "holdfast",
    password: "secret",
    minion: "worker-0",
  });
});

test("over TLS with an authority of one's own, and not without it", async () => {
  const { authorityFile } = certified;
  const known = { minion: "worker-0", authority: readFileSync(authorityFile, "utf8").trim() };
  expect(await reach(saltWith("worker-0"), { authorityFile }, true)).toMatchObject(known);
  await server?.close();
  expect(await reach(saltWith("worker-0"), {}, true)).toMatch(
    /Salt could not be asked \(POST \/login\): .*certificate/,
  );
});

test("of several minions that answer one must be chosen", async () => {
  const salt = saltWith("worker-0", "worker-1", "worker-2");
  salt.stop("worker-1");
  expect(await reach(salt)).toBe("Choose one of Salt's minions with --minion: worker-0, worker-2.");
  await server?.close();
  expect(await reach(salt, { minion: "worker-2" })).toMatchObject({ minion: "worker-2" });
  await server?.close();
  expect(await reach(salt, { minion: "worker-9" })).toBe("Minion worker-9 does not answer.");
});

test("what is wrong with an account or an address is a sentence", async () => {
  expect(await reach(saltWith("worker-0"), { password: { text: "guessed" } })).toBe(
    `${server?.url}: Salt does not accept the password of the account holdfast (eauth holdfast).`,
  );
  await server?.close();
  expect(await reach(saltWith("worker-0"), { username: "other" })).toBe(
    `${server?.url}: Salt knows the password of the account other (eauth holdfast), but grants it nothing.`,
  );
  const other = createServer((_, answer) => answer.end("<html>Welcome</html>"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  expect(await reach(saltWith("worker-0"), { url })).toBe(
    `${url}: Salt was asked to log in, and the answer is no JSON.`,
  );
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
  expect(await reach(saltWith("worker-0"), { url })).toMatch(`${url}: Salt could not be asked (POST /login): connect`);
  expect(await reach(saltWith("worker-0"), { password: { file: "/nowhere" } })).toBe(
    "The file of --salt-password-file cannot be read: ENOENT: no such file or directory, open '/nowhere'",
  );
});
