import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { byToken } from "../../functions/platform/console/token-sign-in.ts";
import { tokenTransports } from "../../functions/platform/console/token-transport.ts";
import { createConsole } from "../../functions/platform/lib/console/console.ts";
import { declaredKinds } from "../../functions/platform/lib/console/declared-kinds.ts";
import { serveLocally } from "../../functions/platform/lib/console/serve-locally.ts";
import { systemClock } from "../../shared/clock.ts";
import { createLog } from "../../shared/log.ts";
import { openBrowser, settled } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";
import { populate } from "./populate.ts";
import { keyFile } from "./server/served.ts";

const log = createLog("error");
const kinds = declaredKinds();

describe.skipIf(!hasBrowser)("behind the console's own server", () => {
  const client = inject("consoleClient");
  let cluster: StillCluster;
  let browser: Browser;
  beforeAll(async () => {
    cluster = await stillCluster();
    await populate(cluster);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await cluster?.close();
  });

  test("the server passes on all that the pages ask for", async () => {
    const served = await serveLocally({ transport: cluster.transport, client, kinds, log });
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

  test("two users at once see the same, do what each may, and one is told what the other does", async () => {
    const signIn = byToken(
      tokenTransports({ apiServer: cluster.url, authority: "" }, {}),
      { keyFile: keyFile(), hours: 1 },
      systemClock,
    );
    const server = createServer(createConsole({ signIn, place: {}, client, kinds, log })).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open = async (user: "admin" | "reader") => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${url}/volumes?q=deletable`);
      await page.getByLabel("Token").fill(cluster.tokens[user]);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("banner").getByText(user).waitFor();
      return { page, button: page.getByRole("row", { name: /deletable/ }).getByRole("button", { name: "Delete" }) };
    };
    const [admin, reader] = await Promise.all([open("admin"), open("reader")]);
    await reader.page.getByRole("button", { name: "Create Volumes", disabled: true }).waitFor();
    await reader.button.hover({ force: true });
    await reader.page.getByRole("tooltip", { name: /You may not delete volumes/ }).waitFor();
    await admin.button.click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await Promise.all([admin, reader].map(({ page }) => page.getByText("No Volumes match").waitFor()));
    expect(await reader.page.getByRole("banner").getByText("admin").count()).toBe(0);
    server.close();
    server.closeAllConnections();
  });
});
