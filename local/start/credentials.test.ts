import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { watch } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { ApiRequest } from "../../shared/kubernetes/transport.ts";
import { virtualClock } from "../time/testing/virtual-clock.ts";
import { issueCredentials } from "./credentials.ts";

const folder = mkdtempSync(join(tmpdir(), "credentials-test-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Resolves when something in the folder has changed and `done` says so; it listens before it returns. */
async function changed(folder: string, done: () => boolean): Promise<void> {
  const events = watch(folder)[Symbol.asyncIterator]();
  for (let next = events.next(); !done(); next = events.next()) await next;
  await events.return?.();
}

test("a service account gets a kubeconfig that only this user can read, and its token is renewed in time", async () => {
  const clock = virtualClock();
  const requests: ApiRequest[] = [];
  const client = createClient(
    async (request) => {
      requests.push(request);
      // The server grants less than the day that it is asked for.
      const expirationTimestamp = new Date(clock.now() + 3600_000).toISOString();
      const status = { token: `token-${requests.length}`, expirationTimestamp };
      return { status: 201, headers: {}, body: Readable.from([JSON.stringify({ status })]) };
    },
    { clock },
  );
  const stop = new AbortController();
  const cluster = { server: "https://cluster.example", "certificate-authority-data": "Y2E=" };
  const credentials = issueCredentials({ client, clock, signal: stop.signal }, cluster, folder);

  const [file, same] = await Promise.all([
    credentials.kubeconfigFor("holdfast", "release"),
    credentials.kubeconfigFor("holdfast", "release"),
  ]);
  expect(same).toBe(file);
  expect(requests.map(({ path }) => path)).toEqual(["/api/v1/namespaces/holdfast/serviceaccounts/release/token"]);

  const config = JSON.parse(readFileSync(file, "utf8"));
  expect(config.clusters).toEqual([{ name: "holdfast", cluster }]);
  const tokenFile = config.users[0].user["auth-provider"].config.tokenFile;
  expect(readFileSync(tokenFile, "utf8")).toBe("token-1");
  for (const path of [file, tokenFile]) expect(statSync(path).mode & 0o077).toBe(0);

  await clock.advance(3600_000 * 0.79);
  expect(requests).toHaveLength(1);
  const isRenewed = changed(dirname(tokenFile), () => readFileSync(tokenFile, "utf8") !== "token-1");
  await clock.advance(3600_000 * 0.02);
  await isRenewed;
  expect(readFileSync(tokenFile, "utf8")).toBe("token-2");
  stop.abort();
});

test("a token that was refused is asked for again", async () => {
  const clock = virtualClock();
  let answers = 0;
  const client = createClient(
    async () => {
      answers++;
      const refusal = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
      return { status: 404, headers: {}, body: Readable.from([JSON.stringify(refusal)]) };
    },
    { clock },
  );
  const credentials = issueCredentials({ client, clock, signal: new AbortController().signal }, {}, folder);
  await expect(credentials.kubeconfigFor("holdfast", "nobody")).rejects.toThrow("NotFound");
  await expect(credentials.kubeconfigFor("holdfast", "nobody")).rejects.toThrow("NotFound");
  expect(answers).toBe(2);
});
