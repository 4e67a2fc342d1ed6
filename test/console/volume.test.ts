import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Program, startProgram } from "../worlds/program.ts";
import { type Console, hasBrowser, openConsole } from "./browser.ts";

const pictures = new URL("../../docs/images/", import.meta.url).pathname;

describe.skipIf(!hasBrowser)("a Volume on npm start's cluster, with its functions and the stand-in of Salt", () => {
  let program: Program;
  let shown: Console;
  beforeAll(async () => {
    program = await startProgram(["--no-tour"]);
    const file = /KUBECONFIG=(\S+)/.exec(program.said())?.[1] ?? "";
    const { clusters } = parse(await readFile(file, "utf8")) as { clusters: { cluster: { server: string } }[] };
    // Who knows this address is the administrator: a token is not looked at.
    shown = await openConsole(clusters[0]?.cluster.server ?? "", "none");
  }, 180_000);
  afterAll(async () => {
    await shown?.close();
    await program?.stop();
  });

  test("it is created, becomes Available, and is deleted, each step seen as it happens", async () => {
    const page = await shown.open("/volumes");
    await page.getByText("There are no Volumes").waitFor();
    await page.getByRole("button", { name: "Create Volumes" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: false }).first().fill("Data!");
    await dialog.getByText("must be lower case letters").waitFor();
    await dialog.getByLabel("Name", { exact: false }).first().fill("data-1");
    await dialog.locator("#nodeName").selectOption("laptop");
    await dialog.getByRole("button", { name: "Next" }).click();
    await dialog.locator("#size").fill("10 elephants");
    await dialog.getByText("must be more than 0: bytes").waitFor();
    expect(await dialog.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
    await dialog.locator("#size").fill("1Gi");
    await dialog.getByRole("button", { name: "Next" }).click();
    await dialog.locator("#storageClassName").selectOption("standard");
    await dialog.getByText("This class does not wait for the first consumer").waitFor();
    await dialog.locator("#labels").fill("disk=slow");
    await dialog.getByRole("button", { name: "Next" }).click();
    await dialog.getByText("kind: Volume").waitFor();
    if (process.env.HOLDFAST_PICTURES) await page.screenshot({ path: `${pictures}console-create.png` });
    await dialog.getByRole("button", { name: "Create the Volume" }).click();
    const row = page.getByRole("row", { name: /data-1/ });
    await row.getByText("Available").waitFor({ timeout: 60_000 });
    if (process.env.HOLDFAST_PICTURES) await page.screenshot({ path: `${pictures}console-volumes.png` });
    await row.getByRole("link", { name: "data-1" }).click();
    await page.getByRole("heading", { name: "Volume data-1" }).waitFor();
    await page.getByText("Ready: True").waitFor();
    if (process.env.HOLDFAST_PICTURES) await page.screenshot({ path: `${pictures}console-object.png` });
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("This object does not exist").waitFor({ timeout: 60_000 });
    expect(shown.problems).toEqual([]);
  }, 150_000);
});
