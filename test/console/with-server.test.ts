import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { byToken } from "../../functions/platform/console/token-sign-in.ts";
import { createConsole } from "../../functions/platform/lib/console/console.ts";
import { serveLocally } from "../../functions/platform/lib/console/serve-locally.ts";
import { systemClock } from "../../shared/clock.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { createLog } from "../../shared/log.ts";
import { ServiceAccount } from "../harness/kinds.ts";
import { manifest } from "../harness/manifest.ts";
import { tokenOf } from "../harness/service-account.ts";
import { openBrowser, settled, violationsInBothThemes, waitForTooltip } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";
import { defineMachines } from "./define-machines.ts";
import { volume } from "./objects.ts";
import { populate } from "./populate.ts";
import { keyFile } from "./server/served.ts";

const log = createLog("error");

describe.skipIf(!hasBrowser)("behind the console's own server", () => {
  const client = inject("consoleClient");
  let cluster: StillCluster;
  let browser: Browser;
  beforeAll(async () => {
    cluster = await stillCluster();
    await populate(cluster);
    // Otherwise the API server itself answers 404 to the page of satellites.
    await defineMachines(cluster);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await cluster?.close();
  });

  test("the server passes on all that the pages ask for", async () => {
    const served = await serveLocally({ transport: cluster.transport, client, log });
    const page = await browser.newPage();
    const refused: string[] = [];
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() >= 400 && pathname !== "/favicon.ico") refused.push(`${response.status()} ${pathname}`);
    });
    await page.goto(served.address());
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    for (const name of ["Volumes", "Claims and sets", "Kept volumes", "Satellites", "Eviction", "Overview"]) {
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      await settled(page);
      await page
        .getByRole("link", { name: /node-1|kept-1|data-web-0/ })
        .first()
        .waitFor();
    }
    await page.getByRole("navigation").getByRole("link", { name: "Satellites", exact: true }).click();
    await page.getByRole("button", { name: "Retain the data", disabled: false }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retain the data" }).click();
    await page.getByRole("row", { name: /node-2 Retain/ }).waitFor();
    await page.goto(`${new URL(page.url()).origin}/object/Volume/_/failed`);
    await page.getByText("Ready: False").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("This object does not exist").waitFor();
    expect(refused).toEqual([]);
    await page.close();
    await served.close();
  });

  test("an API server that is away, at the opening and later, is said to be until it is back", async () => {
    let isAway = true;
    let connected = new AbortController();
    const transport: Transport = async (request) => {
      if (isAway) throw new Error("connect ECONNREFUSED");
      const signals = [connected.signal, ...(request.signal ? [request.signal] : [])];
      return cluster.transport({ ...request, signal: AbortSignal.any(signals) });
    };
    const leave = () => {
      isAway = true;
      connected.abort();
      connected = new AbortController();
    };
    const served = await serveLocally({ transport, client, log });
    onTestFinished(served.close);
    const page = await openPage();
    await page.goto(served.address());
    await page.getByRole("heading", { name: "The console cannot be opened" }).waitFor();
    await page.getByText("The API server cannot be reached.").waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    isAway = false;
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await settled(page);

    leave();
    const link = (name: string) => page.getByRole("navigation").getByRole("link", { name, exact: true });
    await link("Eviction").click();
    // Listed for the first time, and listed before.
    await page.getByText(/^Reconnecting: .*neutronl3agents/).waitFor();
    await link("Volumes").click();
    await page.getByText(/^Reconnecting: .*\bvolumes/).waitFor();
    await page.evaluate(`{
      const banner = document.querySelector("[role=status]");
      globalThis.cleared = 0;
      const note = () => { if (!banner.innerText) cleared++; };
      new MutationObserver(note).observe(banner, { subtree: true, childList: true });
    }`);
    for (let tries = 0; tries < 3; tries++) await page.waitForRequest(/\/watch\?/);
    expect(await page.evaluate("cleared")).toBe(0);

    await cluster.add([volume("while-away")]);
    isAway = false;
    await page.getByRole("row", { name: /while-away/ }).waitFor();
    await page.getByText("Reconnecting").waitFor({ state: "detached" });
  });

  /** The console as in a cluster. Tokens can be given to users, and taken from them. */
  async function serveByToken() {
    const tokens = new Map(Object.entries(cluster.tokens));
    // The API server does not know a token that was taken away, and refuses it.
    const withToken = (token: string) => cluster.connect(tokens.get(token) ?? token);
    const signIn = byToken(withToken, { keyFile: keyFile(), hours: 1 }, systemClock);
    const server = createServer(createConsole({ signIn, place: {}, client, log })).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      url,
      tokens,
      cut: () => server.closeAllConnections(),
      /** From now on, answers of the API server do not come to their end. Returns how to end that. */
      halve() {
        const halve = ({ url }: IncomingMessage, response: ServerResponse) => {
          if (url?.startsWith("/cluster/")) response.end = () => response;
        };
        server.prependListener("request", halve);
        return () => server.off("request", halve);
      },
    };
  }

  async function signIn(page: Page, token: string) {
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  /** A page in a browser of its own. */
  async function openPage() {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    return context.newPage();
  }

  test("two users at once see the same, do what each may, and one sees what the other changes", async () => {
    const { url } = await serveByToken();
    const open = async (user: "admin" | "reader") => {
      const page = await openPage();
      await page.goto(`${url}/volumes?q=deletable`);
      await signIn(page, user);
      await page.getByRole("banner").getByText(user).waitFor();
      return { page, button: page.getByRole("row", { name: /deletable/ }).getByRole("button", { name: "Delete" }) };
    };
    const [admin, reader] = await Promise.all([open("admin"), open("reader")]);
    await reader.page.getByRole("button", { name: "Create Volumes", disabled: true }).waitFor();
    await waitForTooltip(reader.page, reader.button, /You may not delete volumes/);
    await admin.button.click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await Promise.all([admin, reader].map(({ page }) => page.getByText("No Volumes match").waitFor()));
    expect(await reader.page.getByRole("banner").getByText("admin").count()).toBe(0);

    await admin.page.getByRole("button", { name: "Sign out" }).click();
    await admin.page.getByLabel("Token").waitFor();
    expect(await admin.page.context().cookies()).toEqual([]);
    expect(await admin.page.getByText("No Volumes match").count()).toBe(0);
    await cluster.add([volume("deletable", "Available")]);
    await reader.button.waitFor();
    await signIn(admin.page, "reader");
    await admin.page.getByRole("banner").getByText("reader").waitFor();
    await admin.page.getByRole("button", { name: "Create Volumes", disabled: true }).waitFor();
  });

  test("a token that expires while a Volume is written down: the page says so, waits, and keeps it", async () => {
    const { url, tokens, cut } = await serveByToken();
    tokens.set("old", cluster.tokens.admin);
    const page = await openPage();
    await page.clock.install();
    await page.goto(`${url}/volumes?create=1`);
    await signIn(page, "old");
    const name = page.getByLabel("Name *", { exact: true });
    await name.fill("typed");

    tokens.delete("old");
    cut();
    const again = page.getByRole("dialog", { name: "Your sign-in has ended" });
    await again.getByText("The API server no longer accepts your credential.").waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.clock.runFor("10:00");
    expect(requests).toEqual([]);
    await page.keyboard.press("Escape");
    await signIn(page, "old");
    await again.getByText("The API server does not accept this token.").waitFor();

    tokens.set("new", cluster.tokens.admin);
    await signIn(page, "new");
    await again.waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("typed");
    await cluster.add([volume("later")]);
    await page.getByText("later", { exact: true }).waitFor();
  });

  test("a token that expires while lists are read: each is asked for again, and the page says so", async () => {
    const { url, tokens, cut, halve } = await serveByToken();
    tokens.set("old", cluster.tokens.admin);
    const page = await openPage();
    await page.goto(`${url}/volumes?create=1`);
    const restore = halve();
    const asked = ["/nodes?", "/storageclasses?", "/volumes?", "/persistentvolumes?", "/selfsubjectaccessreviews"];
    const begun = asked.map((part) => page.waitForResponse((response) => response.url().includes(part)));
    await signIn(page, "old");
    await page.getByLabel("Name *", { exact: true }).fill("typed");
    await Promise.all(begun);
    restore();
    tokens.delete("old");
    cut();
    // The lists are refused, so that the wizard is drawn after this dialog: screen readers must still find it.
    await page.getByRole("dialog", { name: "Your sign-in has ended" }).waitFor();
  });

  test("another user who signs in on an open page is shown nothing of the one before", async () => {
    const { url, tokens, cut } = await serveByToken();
    tokens.set("old", cluster.tokens.admin);
    await cluster.admin.create(ServiceAccount, manifest(ServiceAccount, { namespace: "default", name: "stranger" }));
    const page = await openPage();
    await page.goto(`${url}/volumes`);
    await page.getByLabel("Token").waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await signIn(page, "old");
    await page.getByRole("row", { name: /^bound/ }).waitFor();
    tokens.delete("old");
    cut();
    await page.getByRole("dialog", { name: "Your sign-in has ended" }).waitFor();
    await signIn(page, await tokenOf(cluster.admin, "default", "stranger"));
    await page.getByText(/"system:serviceaccount:default:stranger" cannot list/).waitFor();
    expect(await page.getByRole("row", { name: /^bound/ }).count()).toBe(0);
  });
});
