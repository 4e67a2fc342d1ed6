import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { byProxy } from "../../functions/platform/console/proxy-sign-in.ts";
import { createConsole } from "../../functions/platform/lib/console/console.ts";
import { createLog } from "../../shared/log.ts";
import { freePorts } from "../cluster/free-ports.ts";
import { poll } from "../harness/poll.ts";
import { openBrowser } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { stillCluster } from "./cluster.ts";
import { volume } from "./objects.ts";
import { oidcClient, startOidcProvider } from "./oidc-provider.ts";

/** The version with which the console was tried, and which `.ci/run` compiles where there is Go. */
const version = "7.15.6";

const { OAUTH2_PROXY, PATH = "", XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;

/** The real oauth2-proxy: of `OAUTH2_PROXY`, of `PATH`, or of the cache; `undefined` where there is none. */
const program = [
  ...(OAUTH2_PROXY ? [OAUTH2_PROXY] : []),
  ...PATH.split(delimiter).map((folder) => join(folder, "oauth2-proxy")),
  join(XDG_CACHE_HOME, "holdfast", `oauth2-proxy-${version}`, "oauth2-proxy"),
].find((file) => existsSync(file));
if (!program) console.log("The console is not opened behind oauth2-proxy: name one in OAUTH2_PROXY.");

/** The options that the documents name. */
function documented(): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, "../../docs/console.md"), "utf8");
  const [, block = ""] = /```text\n(--upstream[\s\S]*?)```/.exec(text) ?? [];
  return block.trim().split("\n");
}

describe.skipIf(!program || !hasBrowser)("behind a real oauth2-proxy", () => {
  test("with the options of the documents, a person signs in, sees what changes, and deletes a Volume", async () => {
    const cluster = await stillCluster();
    onTestFinished(cluster.close);
    await cluster.add([volume("first", "Available")]);
    const provider = await startOidcProvider("anna@example.com");
    onTestFinished(provider.close);
    // As an API server does that trusts the provider, where Anna is an administrator.
    let isTrusted = true;
    const withToken = (token: string) =>
      cluster.connect(isTrusted && provider.hasIssued(token) ? cluster.tokens.admin : token);
    const [port = 0] = await freePorts(1);
    const origin = `http://127.0.0.1:${port}`;
    const server = createServer(
      createConsole({
        signIn: byProxy(withToken),
        place: { origins: [origin] },
        client: inject("consoleClient"),
        log: createLog("error"),
      }),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });

    const upstream = `--upstream=http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = documented().map((option) => (option.startsWith("--upstream=") ? upstream : option));
    expect(options).toContain("--pass-authorization-header=true");
    const proxy = spawn(
      program ?? "",
      [
        ...options,
        ...[`--http-address=127.0.0.1:${port}`, `--redirect-url=${origin}/oauth2/callback`],
        ...["--provider=oidc", `--oidc-issuer-url=${provider.issuer}`, "--email-domain=*", "--skip-provider-button"],
        ...[`--client-id=${oidcClient.id}`, `--client-secret=${oidcClient.secret}`],
        `--cookie-secret=${randomBytes(16).toString("hex")}`,
      ],
      { stdio: "ignore" },
    );
    onTestFinished(() => void proxy.kill());
    const isUp = () =>
      fetch(`${origin}/ping`).then(
        ({ ok }) => ok,
        () => false,
      );
    await poll("oauth2-proxy listens", isUp, { within: 60_000 });

    // A token that a person sends past the provider is not forwarded.
    const past = { headers: { authorization: `Bearer ${cluster.tokens.admin}` }, redirect: "manual" } as const;
    expect((await fetch(`${origin}/cluster/api/v1/nodes`, past)).status).toBe(302);

    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${origin}/volumes`);
    await page.getByRole("banner").getByText("admin").waitFor();
    const row = page.getByRole("row", { name: /^first/ });
    await row.waitFor();
    await cluster.add([volume("live")]);
    await page.getByRole("row", { name: /^live/ }).waitFor();
    await row.getByRole("button", { name: "Delete", disabled: false }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });

    isTrusted = false;
    server.closeAllConnections();
    const ended = page.getByRole("dialog", { name: "Your sign-in has ended" });
    await ended.getByText("The proxy before the console has forwarded no token").waitFor();
    isTrusted = true;
    await ended.getByRole("button", { name: "Try again" }).click();
    await ended.waitFor({ state: "detached" });
    await page.getByRole("row", { name: /^live/ }).waitFor();
  });
});
