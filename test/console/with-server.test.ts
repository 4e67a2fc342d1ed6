import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { buildConsole } from "../../console/build.mjs";
import { declaredKinds } from "../../functions/platform/lib/console/declared-kinds.ts";
import { serveLocally } from "../../functions/platform/lib/console/serve-locally.ts";
import { createLog } from "../../shared/log.ts";
import { executablePath, hasBrowser } from "./browser.ts";
import { stillCluster } from "./cluster.ts";
import { populate } from "./populate.ts";

test.skipIf(!hasBrowser)("the console's own server passes on all that the pages ask for", async () => {
  const cluster = await stillCluster();
  await populate(cluster);
  const folder = await mkdtemp(join(tmpdir(), "holdfast-console-"));
  await buildConsole(folder);
  const served = await serveLocally({
    transport: cluster.transport,
    client: folder,
    kinds: declaredKinds(),
    log: createLog("error"),
  });
  const browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
  try {
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
      await expect.poll(() => page.getByRole("progressbar").count()).toBe(0);
      await page
        .getByRole("link", { name: /node-1|kept-1|data-web-0/ })
        .first()
        .waitFor();
    }
    await page
      .getByRole("link", { name: /^Volume failed/ })
      .first()
      .click();
    await page.getByText("Ready: False").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("This object does not exist").waitFor();
    expect(refused).toEqual([]);
  } finally {
    await browser.close();
    await served.close();
    await cluster.close();
    await rm(folder, { recursive: true });
  }
});
